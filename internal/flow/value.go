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
	// isPlain reports that the JSON of a string is its text in quotes.
	isPlain bool
	// json is that of a value that is neither an object nor an array. Of these, it is
	// the JSON to compare by, once write has kept it.
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
		return v[0].unquoted()
	case '0':
		return v[0].json
	}
	return ""
}

// unquoted returns the text of a string. Most need no copy.
func (t token) unquoted() string {
	if t.isPlain {
		return t.json[1 : len(t.json)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, t.json) // It fails only if the text is not UTF-8.
	return string(text)
}

// withhold turns the value into null.
func (v value) withhold() {
	if len(v) > 0 {
		v[0] = token{kind: 'n', json: "null", size: v[0].size}
	}
}

// removed is the kind of a key that members and write skip.
const removed = jsontext.Kind('-')

// members returns the keys and values of an object, with all of equal keys, or the
// elements of an array with empty keys. Other values have none.
func (v value) members() iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		if kind := v.kind(); kind != '{' && kind != '[' {
			return
		}
		for rest := v[1:]; len(rest) > 0; {
			key, kind := "", rest[0].kind
			if v[0].kind == '{' {
				key, rest = rest[0].unquoted(), rest[1:]
			}
			size := rest[0].size
			if kind != removed && !yield(key, rest[:size]) {
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
	// Each value but the first one follows one of these characters, which strings can
	// contain, too.
	size := 1
	for _, c := range []string{",", ":", "[", "{"} {
		size += strings.Count(text, c)
	}
	tokens := make(value, 0, min(size, 16+len(text)/8))
	var open []int // positions of the objects and arrays that contain the next token
	for {
		before := decoder.InputOffset()
		next, err := decoder.ReadToken()
		// The decoder reads any number of values, but JSON text has exactly one.
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
			t.isPlain = !strings.Contains(t.json, `\`) && utf8.ValidString(t.json)
		default:
			t.json = next.String()
		}
		tokens = append(tokens, t)
	}
}

// keepJSON keeps the JSON of each object and array in its token, so that values can be
// compared.
func (v value) keepJSON() { v.write(&strings.Builder{}, true) }

// write writes the JSON of a value, which is canonical in a Definition. To compare
// values, it writes the same text for equal numbers, and keeps the JSON of each object
// and array in its token.
func (v value) write(json *strings.Builder, toCompare bool) {
	start, separator := json.Len(), ""
	switch v.kind() {
	case '{':
		json.WriteByte('{')
		for rest := v[1:]; len(rest) > 0; rest = rest[1+rest[1].size:] {
			if rest[0].kind == removed {
				continue
			}
			json.WriteString(separator)
			json.WriteString(rest[0].json)
			json.WriteByte(':')
			rest[1:1+rest[1].size].write(json, toCompare)
			separator = ","
		}
		json.WriteByte('}')
	case '[':
		json.WriteByte('[')
		for _, element := range v.members() {
			json.WriteString(separator)
			element.write(json, toCompare)
			separator = ","
		}
		json.WriteByte(']')
	default:
		text := v[0].json
		if toCompare && v.kind() == '0' {
			text = plainNumber(text)
		}
		json.WriteString(text)
		return
	}
	if toCompare {
		v[0].json = json.String()[start:]
	}
}

// jsonString returns a text as canonical JSON.
func jsonString(text string) string {
	literal, _ := jsontext.AppendQuote(nil, text) // It fails only if the text is not UTF-8.
	json, _ := jsonvalue.Canonical(literal)
	return json
}
