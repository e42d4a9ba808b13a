// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// value consists of the tokens of a JSON value: the one of a string, number or
// other literal, or one that begins an object or array, followed by the keys and
// values in it.
type value []token

type token struct {
	kind jsontext.Kind
	// json is that of a value that is neither an object nor an array.
	json string
	// size is the number of tokens of the value that begins here.
	size int
}

func (v value) kind() jsontext.Kind {
	if len(v) == 0 {
		return jsontext.Kind(0)
	}
	return v[0].kind
}

// text returns a string or a number, and nothing for all others.
func (v value) text() string {
	switch v.kind() {
	case '"':
		return unquoted(v[0].json)
	case '0':
		return v[0].json
	}
	return ""
}

// unquoted returns the content of a string. Most strings need no copy.
func unquoted(literal string) string {
	if content := literal[1 : len(literal)-1]; !strings.Contains(content, `\`) && utf8.ValidString(content) {
		return content
	}
	content, _ := jsontext.AppendUnquote(nil, literal) // It fails only if the text is not UTF-8.
	return string(content)
}

// withhold turns the value into null.
func (v value) withhold() {
	if len(v) > 0 {
		v[0] = token{kind: 'n', json: "null", size: v[0].size}
	}
}

// members returns the keys and values of an object, with all of equal keys, or the
// elements of an array with empty keys. Other values have none.
func (v value) members() iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		if kind := v.kind(); kind != '{' && kind != '[' {
			return
		}
		for rest := v[1:]; len(rest) > 0; {
			key := ""
			if v[0].kind == '{' {
				key, rest = unquoted(rest[0].json), rest[1:]
			}
			size := rest[0].size
			if !yield(key, rest[:size]) {
				return
			}
			rest = rest[size:]
		}
	}
}

// member returns the last value of an object with a key, nil if there is none.
func (v value) member(key string) value {
	var found value
	for k, member := range v.members() {
		if k == key {
			found = member
		}
	}
	return found
}

// id returns the ID of an object, or nothing if there is none.
func (v value) id() string { return v.member("id").text() }

// parseValue fails with ErrNotJSON.
func parseValue(document []byte) (value, error) {
	text := string(document)
	decoder := jsontext.NewDecoder(bytes.NewBuffer(document), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	// Each value but the first one follows one of these characters.
	size := 1
	for _, c := range []string{",", ":", "[", "{"} {
		size += strings.Count(text, c)
	}
	tokens := make(value, 0, size)
	var open []int // positions of the objects and arrays that contain the next token
	for {
		before := decoder.InputOffset()
		next, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) && len(tokens) > 0 && tokens[0].size == len(tokens) {
			return tokens, nil
		}
		if err != nil {
			return nil, ErrNotJSON
		}
		t := token{kind: next.Kind(), size: 1}
		switch t.kind {
		case '}', ']':
			last := len(open) - 1
			tokens[open[last]].size = len(tokens) - open[last]
			open = open[:last]
			continue
		case '{', '[':
			open = append(open, len(tokens))
		case '"':
			raw := text[before:decoder.InputOffset()] // It can begin with a comma or a colon.
			t.json = raw[strings.IndexByte(raw, '"'):]
		default:
			t.json = next.String()
		}
		tokens = append(tokens, t)
	}
}

// appendJSON appends the JSON of a value, which is canonical in a Definition.
func (v value) appendJSON(json []byte) []byte {
	switch v.kind() {
	case '{':
		json = append(json, '{')
		for rest := v[1:]; len(rest) > 0; rest = rest[1+rest[1].size:] {
			json = append(append(json, rest[0].json...), ':')
			json = append(rest[1:1+rest[1].size].appendJSON(json), ',')
		}
		return append(bytes.TrimSuffix(json, []byte(",")), '}')
	case '[':
		json = append(json, '[')
		for _, element := range v.members() {
			json = append(element.appendJSON(json), ',')
		}
		return append(bytes.TrimSuffix(json, []byte(",")), ']')
	}
	return append(json, v[0].json...)
}

// quoted returns a text as canonical JSON.
func quoted(text string) string {
	literal, _ := jsontext.AppendQuote(nil, text) // It fails only if the text is not UTF-8.
	json, _ := jsonvalue.Canonical(literal)
	return json
}
