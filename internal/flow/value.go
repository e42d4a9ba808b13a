// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// value consists of the tokens of a JSON value: the one of a string, number or
// other literal, or one that begins an object or array, followed by the keys and
// values in it.
type value []token

type token struct {
	kind jsontext.Kind
	// text is that of a string or a number, the same for equal numbers. Of an object or
	// array, it is the canonical JSON once writeCanonical has written it.
	text string
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
	if kind := v.kind(); kind == '"' || kind == '0' {
		return v[0].text
	}
	return ""
}

// withhold turns the value into null.
func (v value) withhold() {
	if len(v) > 0 {
		v[0] = token{kind: 'n', size: v[0].size}
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
				key, rest = rest[0].text, rest[1:]
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

// parseValue fails with ErrNotJSON. It reuses the memory of another value.
func parseValue(document []byte, memory value) (value, error) {
	text := string(document)
	decoder := jsontext.NewDecoder(bytes.NewBuffer(document), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	// Each value but the first one follows one of these characters.
	size := 1
	for _, c := range []string{",", ":", "[", "{"} {
		size += strings.Count(text, c)
	}
	tokens := slices.Grow(memory[:0], size)
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
			// Most strings are a part of the document, and need no copy.
			raw := text[before:decoder.InputOffset()]
			if t.text = raw[strings.IndexByte(raw, '"')+1 : len(raw)-1]; strings.Contains(t.text, `\`) || !utf8.ValidString(t.text) {
				t.text = next.String()
			}
		case '0':
			t.text = canonicalNumber(next.String())
		}
		tokens = append(tokens, t)
	}
}
