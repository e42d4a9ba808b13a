// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns JSON text that is equal for equal content: compact, with sorted
// keys, of equal keys only the last one, unchanged numbers, and no HTML escapes. Of the
// characters above ASCII, only U+2028 and U+2029 are escaped (EscapeForJS), which many
// programs treat as the end of a line. It fails for text that is not JSON.
func Canonical(text []byte) (string, error) {
	compact, err := jsontext.AppendFormat(nil, text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.EscapeForJS(true))
	if err != nil {
		return "", err
	}
	return string(appendSorted(make([]byte, 0, len(compact)), spansOf(compact))), nil
}

// span is a token of JSON text. One that begins an object or array is followed by
// the keys and values in it.
type span struct {
	text []byte
	size int // number of spans of the value that begins here
}

// spansOf returns the spans of a value in compact JSON.
func spansOf(compact []byte) []span {
	spans := make([]span, 0, len(compact)/8)
	var open []int // positions of the objects and arrays that contain the next span
	for len(compact) > 0 {
		length := 1
		switch compact[0] {
		case '}', ']':
			last := len(open) - 1
			spans[open[last]].size = len(spans) - open[last]
			open = open[:last]
			fallthrough
		case ',', ':':
			compact = compact[1:]
			continue
		case '{', '[':
			open = append(open, len(spans))
		case '"':
			for compact[length] != '"' {
				if compact[length] == '\\' {
					length++
				}
				length++
			}
			length++
		default:
			if length = bytes.IndexAny(compact, ",]}"); length < 0 {
				length = len(compact)
			}
		}
		spans = append(spans, span{compact[:length], 1})
		compact = compact[length:]
	}
	return spans
}

// appendSorted appends a value with sorted keys. It sorts the members of an object
// before it writes them, so that the time does not grow with the nesting. The option
// ReorderRawObjects of jsontext copies an object once for each object around it.
func appendSorted(dst []byte, v []span) []byte {
	dst = append(dst, v[0].text...)
	switch v[0].text[0] {
	case '{':
		for _, member := range sortedMembers(v) {
			dst = append(append(dst, member[0].text...), ':')
			dst = append(appendSorted(dst, member[1:]), ',')
		}
		dst = append(bytes.TrimSuffix(dst, []byte(",")), '}')
	case '[':
		for rest := v[1:]; len(rest) > 0; rest = rest[rest[0].size:] {
			dst = append(appendSorted(dst, rest[:rest[0].size]), ',')
		}
		dst = append(bytes.TrimSuffix(dst, []byte(",")), ']')
	}
	return dst
}

// sortedMembers returns the members of an object, each a key and its value, with the
// last one of equal keys.
func sortedMembers(object []span) [][]span {
	var members [][]span
	for rest := object[1:]; len(rest) > 0; {
		size := 1 + rest[1].size
		members, rest = append(members, rest[:size]), rest[size:]
	}
	slices.SortStableFunc(members, func(x, y []span) int { return bytes.Compare(x[0].key(), y[0].key()) })
	sorted := members[:0]
	for i, member := range members { // AppendFormat writes equal keys as the same text.
		if i+1 == len(members) || !bytes.Equal(member[0].text, members[i+1][0].text) {
			sorted = append(sorted, member)
		}
	}
	return sorted
}

// key returns the content of a key.
func (s span) key() []byte {
	if bytes.ContainsRune(s.text, '\\') {
		content, _ := jsontext.AppendUnquote(nil, s.text) // The text is valid.
		return content
	}
	return s.text[1 : len(s.text)-1]
}

// WithNull returns canonical JSON text with null in place of the value at a path of
// keys through its objects. Text without the value is returned unchanged.
func WithNull(text []byte, path ...string) []byte {
	var object map[string]jsontext.Value
	_ = json.Unmarshal(text, &object, syntax)
	switch member, ok := object[path[0]]; {
	case !ok:
		return text
	case len(path) == 1:
		object[path[0]] = jsontext.Value("null")
	default:
		object[path[0]] = WithNull(member, path[1:]...)
	}
	result, _ := json.Marshal(object, syntax, json.Deterministic(true), jsontext.EscapeForJS(true)) // It was valid JSON before.
	return result
}
