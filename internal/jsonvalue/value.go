// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is a value in JSON text. The zero Value is an absent one. Values are equal with ==
// if they are at the same place of the same text.
type Value struct {
	*source
	at int // index of the value's first token
}

// source is JSON text and its tokens: each string, number, or other literal, and the
// beginning of each object or array, which the keys and values in it follow.
type source struct {
	text   string // JSON text, and null at the end for values that are withheld
	tokens []token
}

// token is text[start:end], or begins an object or array there. The offsets have 32 bits,
// because tokens take more memory than the text.
type token struct {
	start, end uint32
	size       uint32 // number of tokens of the value that begins here
	isEscaped  bool   // whether a string has escapes, which is asked several times for each
}

// withheld is at the end of a text.
const withheld = ",null"

// Compact returns JSON text without white space, in which equal strings are equal text. It
// fails for text that is not JSON.
func Compact(text []byte) (string, error) {
	compact, err := jsontext.AppendFormat(make([]byte, 0, len(text)), text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return string(compact), err
}

// Parse returns the value of JSON text, with the keys of objects in their order. It fails
// for text that is not JSON.
func Parse(text []byte) (Value, error) {
	compact, err := Compact(text)
	if err != nil {
		return Value{}, err
	}
	return New(compact), nil
}

// Canonical returns the value of JSON text, so that equal content has equal JSON: the keys
// of objects are sorted, and of equal keys there is only the last one. It fails for text
// that is not JSON.
func Canonical(text []byte) (Value, error) {
	v, err := Parse(text)
	if err != nil {
		return Value{}, err
	}
	s := &sorter{tokens: make([]token, 0, v.Size())}
	s.add(v)
	return Value{&source{v.text, s.tokens}, 0}, nil
}

// New returns the value of a text from Compact.
func New(text string) Value {
	tokens := make([]token, 0, 16+len(text)/8)
	var open []int // indexes of the objects and arrays that contain the next token
	for at := 0; at < len(text); {
		end := at + 1
		switch text[at] {
		case '}', ']':
			last := len(open) - 1
			tokens[open[last]].size = uint32(len(tokens) - open[last]) //nolint:gosec // No text has 4 GiB.
			open = open[:last]
			fallthrough
		case ',', ':':
			at = end
			continue
		case '{', '[':
			open = append(open, len(tokens))
		default:
			end = LiteralEnd(text, at)
		}
		isEscaped := strings.IndexByte(text[at:end], '\\') >= 0
		tokens = append(tokens, token{uint32(at), uint32(end), 1, isEscaped}) //nolint:gosec // No text has 4 GiB.
		at = end
	}
	return Value{&source{text + withheld, tokens}, 0}
}

// LiteralEnd returns the end of the string, number, or other literal at a place in JSON
// text.
func LiteralEnd(text string, at int) int {
	end := at + 1
	if text[at] == '"' {
		for text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		return end + 1
	}
	for end < len(text) && text[end] > ' ' && text[end] != ',' && text[end] != ']' && text[end] != '}' {
		end++
	}
	return end
}

// sorter writes values with sorted keys. It sorts the members of an object before it
// writes them, so that the time does not grow with the nesting.
type sorter struct {
	tokens  []token
	members []Value // of the open objects and arrays
}

func (s *sorter) add(v Value) {
	start, first := len(s.tokens), len(s.members)
	s.tokens = append(s.tokens, v.tokens[v.at])
	for _, member := range v.pairs() {
		s.members = append(s.members, member)
	}
	end, isObject := len(s.members), v.Kind() == '{'
	key := func(member Value) Value { return Value{v.source, member.at - 1} }
	if isObject {
		slices.SortStableFunc(s.members[first:], func(x, y Value) int { return strings.Compare(key(x).Text(), key(y).Text()) })
	}
	for i := first; i < end; i++ {
		member := s.members[i]
		if isObject && i+1 < end && key(member).raw() == key(s.members[i+1]).raw() {
			continue // Of equal keys, the last one counts.
		}
		if isObject {
			s.tokens = append(s.tokens, v.tokens[member.at-1])
		}
		s.add(member)
	}
	s.members = s.members[:first]
	s.tokens[start].size = uint32(len(s.tokens) - start) //nolint:gosec // No text has 4 GiB.
}

// Kind is the kind of the value, and 0 if it is absent. A number has the kind '0'.
func (v Value) Kind() jsontext.Kind {
	if v.source == nil {
		return 0
	}
	if c := v.text[v.tokens[v.at].start]; c != '-' && (c < '0' || c > '9') {
		return jsontext.Kind(c)
	}
	return '0'
}

// IsObject reports whether the value is an object, or an empty array, because PHP writes
// an empty object so.
func (v Value) IsObject() bool { return v.Kind() == '{' || v.Kind() == '[' && v.Size() == 1 }

// raw is the JSON of a key, a string, or another literal, as in the text.
func (v Value) raw() string { return v.text[v.tokens[v.at].start:v.tokens[v.at].end] }

// Text is the content of a string, or the JSON of a number, and "" for all others.
func (v Value) Text() string {
	switch v.Kind() {
	case '"':
		raw := v.raw()
		if !v.tokens[v.at].isEscaped { // Most need no copy.
			return raw[1 : len(raw)-1]
		}
		content, _ := jsontext.AppendUnquote(nil, raw) // The text is valid.
		return string(content)
	case '0':
		return v.raw()
	}
	return ""
}

// Size is the number of strings, numbers, and other values in the value and of keys,
// together with itself. It is 1 for an empty object or array, and 0 for an absent value.
func (v Value) Size() int {
	if v.source == nil {
		return 0
	}
	return int(v.tokens[v.at].size)
}

// Index is different for each value in a text, and less than the Size of the whole text.
func (v Value) Index() int { return v.at }

// pairs is Members with the keys as values, which an array has none of.
func (v Value) pairs() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		kind := v.Kind()
		if kind != '{' && kind != '[' {
			return
		}
		end := v.at + v.Size()
		for at := v.at + 1; at < end; {
			key := Value{}
			if kind == '{' {
				key, at = Value{v.source, at}, at+1
			}
			if !yield(key, Value{v.source, at}) {
				return
			}
			at += int(v.tokens[at].size)
		}
	}
}

// Members returns the keys and values of an object, with all of equal keys, or the elements
// of an array with empty keys. Other values have none.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for key, value := range v.pairs() {
			if !yield(key.Text(), value) {
				return
			}
		}
	}
}

// Member returns the value at a path of keys, and an absent one if there is none. Of equal
// keys, the last one counts.
func (v Value) Member(path ...string) Value {
	for _, name := range path {
		object := v
		v = Value{}
		for key, member := range object.Members() {
			if key == name {
				v = member
			}
		}
	}
	return v
}

// Withhold turns the value into null.
func (v Value) Withhold() {
	if v.source == nil {
		return
	}
	inside := v.tokens[v.at].size - 1
	for i := range v.at {
		if t := &v.tokens[i]; i+int(t.size) > v.at {
			t.size -= inside
		}
	}
	end := uint32(len(v.text)) //nolint:gosec // No text has 4 GiB.
	v.tokens[v.at] = token{end - uint32(len("null")), end, 1, false}
	v.tokens = slices.Delete(v.tokens, v.at+1, v.at+1+int(inside))
}

// JSON returns the value as compact JSON with unchanged numbers and, if it is canonical, no
// HTML escapes. Of the characters above ASCII, only U+2028 and U+2029 are escaped, which many programs treat as
// the end of a line.
func (v Value) JSON() string {
	if kind := v.Kind(); kind != '{' && kind != '[' {
		return escapeForJS(v.raw())
	}
	return escapeForJS(string(v.appendJSON(nil)))
}

func escapeForJS(json string) string {
	return strings.ReplaceAll(strings.ReplaceAll(json, "\u2028", `\u2028`), "\u2029", `\u2029`)
}

func (v Value) appendJSON(dst []byte) []byte {
	dst = append(dst, v.raw()...)
	kind := v.Kind()
	if kind != '{' && kind != '[' {
		return dst
	}
	for key, value := range v.pairs() {
		if kind == '{' {
			dst = append(append(dst, key.raw()...), ':')
		}
		dst = append(value.appendJSON(dst), ',')
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), byte(kind)+2) // In ASCII, the end is 2 after the beginning.
}

// Quote returns a text as JSON, as in Value.JSON.
func Quote(text string) string {
	literal, _ := jsontext.AppendQuote(nil, text) // It fails only if the text is not UTF-8.
	return escapeForJS(string(literal))
}

// UnmarshalJSONFrom reads the next value, as Canonical does.
func (v *Value) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	text, err := decoder.ReadValue()
	if err == nil {
		*v, err = Canonical(text)
	}
	return err
}
