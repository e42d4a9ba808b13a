// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// member is a member of an object in canonical text: its key, and its position
// with the comma after it.
type member struct {
	key      []byte
	from, to int
}

// maxSortedDepth is the number of levels whose keys are sorted. Sorting copies all
// of an object once per level, and no definition has so many levels.
const maxSortedDepth = 100

// indexes are those of lists in a path.
var indexes = regexp.MustCompile(`\[\d+\]`)

// canonical reads the next value and writes it so that equal content results in
// equal text: compact, with sorted keys, unchanged numbers and no HTML escapes.
// Secrets become null, except the value itself if it is shown.
func (r *reader) canonical(shown bool) string {
	path, withheld := r.path, r.withheld
	r.path = indexes.ReplaceAll(path, nil)
	if shown && r.isWithheld() {
		r.withheld = nil
	}
	r.text = r.appendValue(r.text[:0])
	r.path, r.withheld = path, withheld
	return string(r.text)
}

func (r *reader) isWithheld() bool {
	return slices.ContainsFunc(r.withheld, func(secret string) bool { return secret == string(r.path) })
}

func (r *reader) appendValue(text []byte) []byte {
	if r.isWithheld() {
		r.raw()
		return append(text, "null"...)
	}
	switch r.json.PeekKind() {
	case '{':
		return r.appendObject(text)
	case '[':
		text = append(text, '[')
		start := len(text)
		for r.token(); r.more(); {
			text = append(r.appendValue(text), ',')
		}
		return closed(text, start, ']')
	}
	return appendLiteral(text, r.raw())
}

func (r *reader) appendObject(text []byte) []byte {
	text = append(text, '{')
	start, first, sorted := len(text), len(r.members), true
	for r.token(); r.more(); {
		raw := r.raw()
		m := member{key: unquote(raw), from: len(text)}
		outside := r.enter(m.key)
		text = append(appendLiteral(text, raw), ':')
		text = append(r.appendValue(text), ',')
		r.path = r.path[:outside]
		m.to = len(text)
		sorted = sorted && (len(r.members) == first || bytes.Compare(r.members[len(r.members)-1].key, m.key) < 0)
		r.members = append(r.members, m)
	}
	if !sorted && r.json.StackDepth() < maxSortedDepth {
		text = r.sortMembers(text, start, r.members[first:])
	}
	r.members = r.members[:first]
	return closed(text, start, '}')
}

// sortMembers returns the text with the members after start sorted by key. Of
// members with equal keys, only the last one remains.
func (r *reader) sortMembers(text []byte, start int, members []member) []byte {
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(b.from, a.from))
	})
	r.unsorted = append(r.unsorted[:0], text[start:]...)
	text = text[:start]
	for i, m := range members {
		if i == 0 || !bytes.Equal(members[i-1].key, m.key) {
			text = append(text, r.unsorted[m.from-start:m.to-start]...)
		}
	}
	return text
}

// closed replaces the comma after the last value since start by a bracket.
func closed(text []byte, start int, bracket byte) []byte {
	if len(text) > start {
		text = text[:len(text)-1]
	}
	return append(text, bracket)
}

// appendLiteral appends a string, number or other literal. A string is written
// as encoding/json writes it.
func appendLiteral(text, raw []byte) []byte {
	if isCanonical(raw) {
		return append(text, raw...)
	}
	// This cannot fail, because the literal is valid.
	text, _ = jsontext.AppendFormat(text, raw, jsontext.AllowInvalidUTF8(true), jsontext.EscapeForJS(true))
	return text
}

// isCanonical reports whether a literal already has the form that appendLiteral
// writes. It may return false for a literal that has it.
func isCanonical(raw []byte) bool {
	for rest := raw; ; {
		at := bytes.IndexByte(rest, '\\')
		if at < 0 {
			break
		}
		if rest[at+1] == 'u' || rest[at+1] == '/' {
			return false
		}
		rest = rest[at+2:]
	}
	return utf8.Valid(raw) && !bytes.Contains(raw, []byte("\u2028")) && !bytes.Contains(raw, []byte("\u2029"))
}

// unquote returns the content of a string literal.
func unquote(raw []byte) []byte {
	if len(raw) > 0 && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return raw[1 : len(raw)-1]
	}
	// The error only says that bytes that are not UTF-8 were replaced.
	content, _ := jsontext.AppendUnquote(nil, raw)
	return content
}
