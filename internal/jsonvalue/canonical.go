// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// secret describes what is withheld of a value: the whole value, or members of
// the object or of each object in the array.
type secret struct {
	whole   bool
	members map[string]*secret
}

// add withholds the value at a path of keys.
func (s *secret) add(path []string) {
	if len(path) == 0 {
		s.whole = true
		return
	}
	if s.members == nil {
		s.members = map[string]*secret{}
	}
	if s.members[path[0]] == nil {
		s.members[path[0]] = &secret{}
	}
	s.members[path[0]].add(path[1:])
}

// member returns what is to be withheld of a member, nil if nothing is.
func (s *secret) member(key []byte) *secret {
	if s == nil {
		return nil
	}
	return s.members[string(key)]
}

// member is a member of an object in canonical text: its key, and its position
// with the comma after it.
type member struct {
	key      []byte
	from, to int
}

// canonical skips the value at the cursor and writes it so that equal content
// results in equal text: compact, with sorted keys, unchanged numbers and no
// HTML escapes. Secrets become null.
func (w *walk) canonical(withheld *secret) string {
	w.output = w.appendValue(w.output[:0], withheld)
	return string(w.output)
}

func (w *walk) appendValue(text []byte, withheld *secret) []byte {
	if withheld != nil && withheld.whole {
		w.raw()
		return append(text, "null"...)
	}
	switch w.data[w.pos] {
	case '{':
		return w.appendObject(text, withheld)
	case '[':
		text = append(text, '[')
		start := len(text)
		for w.open(); w.next(); {
			text = append(w.appendValue(text, withheld), ',')
		}
		return closed(text, start, ']')
	}
	raw := w.raw()
	if !isCanonical(raw) {
		return appendQuoted(text, []byte(unquote(raw)))
	}
	return append(text, raw...)
}

func (w *walk) appendObject(text []byte, withheld *secret) []byte {
	text = append(text, '{')
	start, first, ordered := len(text), len(w.members), true
	for w.open(); w.next(); {
		m := member{key: w.key(), from: len(text)}
		w.separators()
		text = append(appendQuoted(text, m.key), ':')
		text = append(w.appendValue(text, withheld.member(m.key)), ',')
		m.to = len(text)
		ordered = ordered && (len(w.members) == first || bytes.Compare(w.members[len(w.members)-1].key, m.key) < 0)
		w.members = append(w.members, m)
	}
	if !ordered {
		text = w.reordered(text, start, w.members[first:])
	}
	w.members = w.members[:first]
	return closed(text, start, '}')
}

// reordered returns the text with the members after start sorted by key. Of
// members with equal keys, only the last one remains.
func (w *walk) reordered(text []byte, start int, members []member) []byte {
	slices.SortFunc(members, func(a, b member) int {
		if w.ended() {
			return 0
		}
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(b.from, a.from))
	})
	w.unordered = append(w.unordered[:0], text[start:]...)
	text = text[:start]
	for i, m := range members {
		if i == 0 || !bytes.Equal(members[i-1].key, m.key) {
			text = append(text, w.unordered[m.from-start:m.to-start]...)
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

// isCanonical reports whether a string, number or other literal already has its
// canonical form, which for a string is that of appendQuoted. It may return
// false for a string that has it.
func isCanonical(literal []byte) bool {
	for i, b := range literal {
		if b == '\\' && (literal[i+1] == 'u' || literal[i+1] == '/') || isLineSeparator(literal[i:]) {
			return false
		}
	}
	return true
}

// appendQuoted appends a string as encoding/json writes it.
func appendQuoted(text, content []byte) []byte {
	text = append(text, '"')
	for i := 0; i < len(content); i++ {
		b := content[i]
		switch short := strings.IndexByte("\"\\\b\f\n\r\t", b); {
		case short >= 0:
			text = append(text, '\\', `"\bfnrt`[short])
		case b < ' ':
			text = fmt.Appendf(text, `\u%04x`, b)
		case isLineSeparator(content[i:]):
			text = fmt.Appendf(text, `\u202%x`, content[i+2]&0xF)
			i += 2
		default:
			text = append(text, b)
		}
	}
	return append(text, '"')
}

// isLineSeparator reports whether a text begins with U+2028 or U+2029, which
// encoding/json escapes.
func isLineSeparator(text []byte) bool {
	return text[0] == 0xE2 && text[1] == 0x80 && text[2]|1 == 0xA9
}
