// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// FromYAML returns a YAML document as JSON text with the meaning that Terraform's
// yamldecode gives it, except that block scalars are always strings. Of equal keys, and
// of merged ones, the last one counts once the text is canonical. Numbers are not
// calculated, so that one with a large exponent stays short. It returns io.EOF for a
// text without a document. Other errors begin with the number of the line.
func FromYAML(text []byte) ([]byte, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var document, next yaml.Node
	if err := loader.Load(&document); err != nil {
		return nil, yamlError(text, err)
	}
	switch err := loader.Load(&next); {
	case err == nil:
		return nil, lineError(next.Line, "a second document begins")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(text, err)
	}
	w := &yamlWriter{limit: 8*len(text) + maxExpansion, open: map[*yaml.Node]bool{}}
	if err := w.value(document.Content[0]); err != nil {
		return nil, err
	}
	return w.json, nil
}

// maxExpansion is the number of bytes and nodes that aliases can add to a document, which
// otherwise is at most 6 times as large in JSON. Nested aliases grow exponentially.
const maxExpansion = 1 << 20

// yamlError returns an error of the parser. It has no position for a character that is not
// allowed, and one after the last line for a text that is not complete.
func yamlError(text []byte, err error) error {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return err
	}
	line, reason := min(e.Mark.Line, lineAt(text, len(bytes.TrimSpace(text)))), e.Message
	if line == 0 {
		isInvalid := func(r rune) bool {
			return r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r)
		}
		line = lineAt(text, bytes.IndexFunc(text, isInvalid))
	}
	switch start := e.ContextMark.Line; {
	case e.Message == "could not find expected ':'": // The position is that of what follows the key.
		line = min(line, start)
	case start > 0 && start < line:
		reason += fmt.Sprintf(" %s from line %d", e.ContextMsg, start)
	}
	return lineError(line, "%s", reason)
}

func lineAt(text []byte, position int) int {
	return 1 + bytes.Count(text[:max(position, 0)], []byte("\n"))
}

func lineError(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{line}, args...)...)
}

// yamlWriter writes the JSON of a document.
type yamlWriter struct {
	json  []byte
	nodes int // number of nodes that have been written
	limit int // of the bytes and the nodes together
	// open are the nodes with an alias that is being written.
	open map[*yaml.Node]bool
}

// count counts a node before it is written.
func (w *yamlWriter) count(n *yaml.Node) error {
	w.nodes++
	if w.nodes+len(w.json) > w.limit {
		return lineError(n.Line, "the aliases in the document make it too large")
	}
	return nil
}

func (w *yamlWriter) value(n *yaml.Node) error {
	if err := w.count(n); err != nil {
		return err
	}
	switch n.Kind {
	case yaml.AliasNode:
		return w.alias(n, w.value)
	case yaml.ScalarNode:
		json, err := scalar(n)
		w.json = append(w.json, json...)
		return err
	case yaml.SequenceNode:
		return w.enclosed(n, "!!seq", '[', ']', w.elements)
	default:
		return w.enclosed(n, "!!map", '{', '}', w.members)
	}
}

// alias writes what an alias stands for.
func (w *yamlWriter) alias(n *yaml.Node, write func(*yaml.Node) error) error {
	if w.open[n.Alias] {
		return lineError(n.Line, "the alias is inside of what it stands for")
	}
	w.open[n.Alias] = true
	defer delete(w.open, n.Alias)
	return write(n.Alias)
}

func (w *yamlWriter) enclosed(n *yaml.Node, tag string, start, end byte, write func(*yaml.Node) error) error {
	if explicitTag(n) != "" && n.ShortTag() != tag {
		return errTag(n)
	}
	w.json = append(w.json, start)
	err := write(n)
	w.json = append(bytes.TrimSuffix(w.json, []byte(",")), end)
	return err
}

func (w *yamlWriter) elements(n *yaml.Node) error {
	for _, element := range n.Content {
		if err := w.value(element); err != nil {
			return err
		}
		w.json = append(w.json, ',')
	}
	return nil
}

func (w *yamlWriter) members(n *yaml.Node) error {
	for pair := range slices.Chunk(n.Content, 2) {
		if err := w.member(pair[0], pair[1]); err != nil {
			return err
		}
	}
	return nil
}

func (w *yamlWriter) member(key, value *yaml.Node) error {
	if key.Kind != yaml.ScalarNode {
		return lineError(key.Line, "a key is not a string")
	}
	if key.Value == "<<" && explicitTag(key) == "" {
		return w.merged(value, true)
	}
	json, err := scalar(key)
	switch {
	case err != nil:
		return err
	case json == "null":
		return lineError(key.Line, "a key is null")
	case json[0] != '"':
		json = strconv.Quote(json)
	}
	w.json = append(append(w.json, json...), ':')
	if err := w.value(value); err != nil {
		return err
	}
	w.json = append(w.json, ',')
	return nil
}

// merged writes the members of a mapping or, if it can be a list, of all mappings in it.
func (w *yamlWriter) merged(n *yaml.Node, canBeList bool) error {
	if err := w.count(n); err != nil {
		return err
	}
	switch {
	case n.Kind == yaml.AliasNode:
		return w.alias(n, func(n *yaml.Node) error { return w.merged(n, canBeList) })
	case n.Kind == yaml.MappingNode:
		return w.members(n)
	case n.Kind == yaml.SequenceNode && canBeList:
		for _, element := range n.Content {
			if err := w.merged(element, false); err != nil {
				return err
			}
		}
		return nil
	}
	return lineError(n.Line, "only mappings can be merged")
}

// explicitTag returns the short form of a tag in the text, such as !!str.
func explicitTag(n *yaml.Node) string {
	if n.Style&yaml.TaggedStyle == 0 {
		return ""
	}
	return n.ShortTag()
}

// scalar returns the JSON of a scalar.
func scalar(n *yaml.Node) (string, error) {
	const notPlain = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	switch tag := explicitTag(n); tag {
	case "":
		if json := plain(n.Value); json != "" && n.Style&notPlain == 0 {
			return json, nil
		}
		return quoted(n.Value), nil
	case "!!str", "!!binary":
		return quoted(n.Value), nil
	case "!!null", "!!bool", "!!int", "!!float", "!!timestamp":
		if json := plain(n.Value); json != "" {
			return json, nil
		}
	}
	return "", errTag(n)
}

func errTag(n *yaml.Node) error {
	return lineError(n.Line, "the tag is not supported, or the value does not have its type")
}

func quoted(text string) string {
	json, _ := jsontext.AppendQuote(nil, text) // It fails only if the text is not UTF-8.
	return string(json)
}

// plain returns the JSON of a text without quotes, and "" for a string.
func plain(text string) string {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return "null"
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return "true"
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return "false"
	}
	if !strings.ContainsRune("+-.0123456789", rune(text[0])) {
		return ""
	}
	if t, ok := timestamp(text); ok {
		return quoted(t.Format(time.RFC3339))
	}
	return number(text)
}

// timestamp returns a time in one of the forms that yamldecode accepts.
func timestamp(text string) (time.Time, bool) {
	if len(text) < len("2006-1-2") || text[4] != '-' {
		return time.Time{}, false
	}
	for _, layout := range []string{"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// decimal is a number in YAML, which can begin with a plus sign or with zeros, and can
// have no digits on one side of the point.
var decimal = regexp.MustCompile(`^([-+]?)([0-9]*)(?:\.([0-9]*))?([eE][-+]?[0-9]+)?$`)

// number returns the JSON of a number, and "" for any other text.
func number(text string) string {
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0o") {
		if n, err := strconv.ParseUint(text, 0, 64); err == nil {
			return strconv.FormatUint(n, 10)
		}
		return ""
	}
	parts := decimal.FindStringSubmatch(text)
	if parts == nil || parts[2]+parts[3] == "" {
		return ""
	}
	json := strings.TrimPrefix(parts[1], "+") + cmp.Or(strings.TrimLeft(parts[2], "0"), "0")
	if parts[3] != "" {
		json += "." + parts[3]
	}
	return json + parts[4]
}
