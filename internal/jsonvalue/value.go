// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is a value in JSON text: a node of a plain tree, which does not keep the text. A nil
// Value is an absent one. The members of an object are sorted by their keys, so that equal
// content has equal JSON, except for the spelling of numbers.
type Value struct {
	kind    jsontext.Kind
	key     string  // in the object around it
	text    string  // content of a string, or the JSON of another value without members
	members []Value // of an object or an array
}

// Parse returns the value of JSON text. It fails as Decode for text that is not JSON, or that
// has equal keys in an object.
func Parse(text []byte) (*Value, error) {
	var v Value
	err := Decode(text, &v)
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// UnmarshalJSONFrom reads the next value.
func (v *Value) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	token, err := decoder.ReadToken()
	if err != nil {
		return err
	}
	v.kind = token.Kind()
	if v.kind != '{' && v.kind != '[' {
		v.text = token.String()
		return nil
	}
	for decoder.PeekKind() != closing(v.kind) {
		v.members = append(v.members, Value{})
		member := &v.members[len(v.members)-1]
		if v.kind == '{' {
			key, err := decoder.ReadToken()
			if err != nil {
				return err
			}
			member.key = key.String()
		}
		if err := member.UnmarshalJSONFrom(decoder); err != nil {
			return err
		}
	}
	if v.kind == '{' {
		slices.SortFunc(v.members, func(x, y Value) int { return strings.Compare(x.key, y.key) })
	}
	_, err = decoder.ReadToken()
	return err
}

// closing is the end of an object or an array.
func closing(kind jsontext.Kind) jsontext.Kind {
	if kind == '{' {
		return '}'
	}
	return ']'
}

// Kind is the kind of the value, and 0 if it is absent. A number has the kind '0'.
func (v *Value) Kind() jsontext.Kind {
	if v == nil {
		return 0
	}
	return v.kind
}

// Text is the content of a string, or the JSON of a number, and "" for all others.
func (v *Value) Text() string {
	if v.Kind() == '"' || v.Kind() == '0' {
		return v.text
	}
	return ""
}

// Len is the number of members of an object, or of elements of an array.
func (v *Value) Len() int {
	if v == nil {
		return 0
	}
	return len(v.members)
}

// Members returns the keys and values of an object, or the elements of an array with empty
// keys. Other values have none.
func (v *Value) Members() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) {
		for i := range v.Len() {
			if !yield(v.members[i].key, &v.members[i]) {
				return
			}
		}
	}
}

// Member returns the value at a path of keys, and nil if there is none.
func (v *Value) Member(path ...string) *Value {
	for _, key := range path {
		if v.Kind() != '{' {
			return nil
		}
		i, found := slices.BinarySearchFunc(v.members, key, func(member Value, key string) int {
			return strings.Compare(member.key, key)
		})
		if !found {
			return nil
		}
		v = &v.members[i]
	}
	return v
}

// Withhold turns the value into null, unless it is absent.
func (v *Value) Withhold() {
	if v != nil {
		*v = Value{kind: 'n', key: v.key, text: "null"}
	}
}

// JSON returns the value as compact JSON with unchanged numbers. In strings, only what JSON
// requires is escaped.
func (v *Value) JSON() string { return string(v.AppendJSON(nil)) }

// AppendJSON appends what JSON returns.
func (v *Value) AppendJSON(dst []byte) []byte {
	switch v.Kind() {
	case 0:
		return dst
	case '"':
		return AppendQuote(dst, v.text)
	case '{', '[':
	default:
		return append(dst, v.text...)
	}
	dst = append(dst, byte(v.kind))
	for i := range v.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.kind == '{' {
			dst = append(AppendQuote(dst, v.members[i].key), ':')
		}
		dst = v.members[i].AppendJSON(dst)
	}
	return append(dst, byte(closing(v.kind)))
}

// Quote returns a text as JSON, as in Value.JSON.
func Quote(text string) string { return string(AppendQuote(nil, text)) }

// AppendQuote appends what Quote returns.
func AppendQuote(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // It fails only if the text is not UTF-8.
	return dst
}

// exactCharacters is the number of characters of a number that a float64 always keeps.
const exactCharacters = 15

// Number returns the JSON of a number in one spelling, so that equal numbers are equal text.
// One that is longer, or too large for a float64, is unchanged.
func Number(text string) string {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) > exactCharacters {
		return text
	}
	return strconv.FormatFloat(number+0, 'f', -1, 64) // The sum of -0 and 0 is 0.
}
