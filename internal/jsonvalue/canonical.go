// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxSortedDepth is the number of levels whose keys are sorted. Sorting copies all
// of an object once per level, and no definition has so many levels.
const maxSortedDepth = 100

// member is a member of an object in canonical text: its key, and its position
// with the comma after it.
type member struct {
	key      []byte
	from, to int
}

// appendValue reads the next value and appends its JSON text, so that equal content
// has equal text: compact, with sorted keys, unchanged numbers and no HTML escapes.
// The secrets, whose paths begin in the value, become null.
func (r *reader) appendValue(text []byte, secrets []string) []byte {
	if slices.Contains(secrets, "") {
		r.raw()
		return append(text, "null"...)
	}
	switch r.json.PeekKind() {
	case '{':
		return r.appendObject(text, secrets)
	case '[':
		text = append(text, '[')
		for r.token(); r.more(); {
			text = append(r.appendValue(text, secrets), ',')
		}
		return append(bytes.TrimSuffix(text, []byte(",")), ']')
	}
	return appendLiteral(text, r.raw())
}

func (r *reader) appendObject(text []byte, secrets []string) []byte {
	text = append(text, '{')
	start, members := len(text), make([]member, 0, 8)
	for r.token(); r.more(); {
		literal := r.raw()
		m := member{key: unquote(literal), from: len(text)}
		text = append(appendLiteral(text, literal), ':')
		text = append(r.appendValue(text, under(string(m.key), secrets)), ',')
		m.to = len(text)
		members = append(members, m)
	}
	// Of members with equal keys, the last one comes first, and only it remains.
	order := func(a, b member) int { return cmp.Or(bytes.Compare(a.key, b.key), b.from-a.from) }
	if r.json.StackDepth() < maxSortedDepth && !slices.IsSortedFunc(members, order) {
		slices.SortFunc(members, order)
		members = slices.CompactFunc(members, func(a, b member) bool { return bytes.Equal(a.key, b.key) })
		unsorted := slices.Clone(text[start:])
		text = text[:start]
		for _, m := range members {
			text = append(text, unsorted[m.from-start:m.to-start]...)
		}
	}
	return append(bytes.TrimSuffix(text, []byte(",")), '}')
}

// appendLiteral appends a string, number or other literal. A string is written
// as encoding/json writes it.
func appendLiteral(text, literal []byte) []byte {
	if isPlain(literal) {
		return append(text, literal...)
	}
	// This cannot fail, because the literal is valid.
	text, _ = jsontext.AppendFormat(text, literal, jsontext.AllowInvalidUTF8(true), jsontext.EscapeForJS(true))
	return text
}

// unquote returns the content of a string literal.
func unquote(literal []byte) []byte {
	if len(literal) > 0 && isPlain(literal) {
		return literal[1 : len(literal)-1]
	}
	// The error only says that bytes that are not UTF-8 were replaced.
	content, _ := jsontext.AppendUnquote(nil, literal)
	return content
}

// isPlain reports whether a literal has neither escapes nor characters outside
// ASCII.
func isPlain(literal []byte) bool {
	return !slices.ContainsFunc(literal, func(c byte) bool { return c == '\\' || c >= utf8.RuneSelf })
}
