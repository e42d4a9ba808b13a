// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// secret is a place in a document that holds something to withhold: the whole
// value, or members of the object there or of each object in the array there.
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

// part is a value that is being made canonical. A tree of them takes one pass
// through the document, however deep the value is.
type part struct {
	// key and position are those of a member within its object.
	key      []byte
	position int
	// open is the opening bracket of an object or an array, 0 otherwise.
	open  byte
	parts []part
	// text is the text of a value that is neither.
	text []byte
}

// canonical passes over the value at the cursor and writes it such that equal
// content is equal text: compact, keys sorted, numbers unchanged, nothing
// escaped for HTML. What is withheld becomes null.
func (w *walk) canonical(withheld *secret) string {
	root := w.part(withheld)
	return string(w.write(nil, &root))
}

func (w *walk) part(withheld *secret) part {
	open := w.data[w.pos]
	switch {
	case withheld != nil && withheld.whole:
		w.raw()
		return part{text: []byte("null")}
	case open == '{':
		return part{open: open, parts: w.members(withheld)}
	case open == '[':
		var elements []part
		for w.open(); w.next(); {
			elements = append(elements, w.part(withheld))
		}
		return part{open: open, parts: elements}
	default:
		return part{text: w.raw()}
	}
}

// members returns the members of an object, sorted by key. Of members with
// equal keys, the last one counts.
func (w *walk) members(withheld *secret) []part {
	var members []part
	for w.open(); w.next(); {
		key := w.key()
		w.separators()
		member := w.part(withheld.member(key))
		member.key, member.position = key, len(members)
		members = append(members, member)
	}
	slices.SortFunc(members, func(a, b part) int {
		if w.ended() {
			return 0
		}
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(b.position, a.position))
	})
	return slices.CompactFunc(members, func(a, b part) bool { return bytes.Equal(a.key, b.key) })
}

// write appends the text of a part.
func (w *walk) write(text []byte, p *part) []byte {
	switch {
	case w.ended():
		return text
	case p.open == 0 && p.text[0] == '"' && !isCanonical(p.text):
		return append(text, quote(unquote(p.text))...)
	case p.open == 0:
		return append(text, p.text...)
	}
	text = append(text, p.open)
	for i := range p.parts {
		if i > 0 {
			text = append(text, ',')
		}
		if p.open == '{' {
			text = append(append(text, quote(string(p.parts[i].key))...), ':')
		}
		text = w.write(text, &p.parts[i])
	}
	// The closing brackets stand two after the opening ones in ASCII.
	return append(text, p.open+2)
}

// isCanonical reports whether a string literal already has the form that quote
// gives it. It may say no to one that does.
func isCanonical(literal []byte) bool {
	for i, b := range literal {
		switch b {
		case '\\':
			if next := literal[i+1]; next == 'u' || next == '/' {
				return false
			}
		case 0xE2: // The first byte of U+2028 and U+2029.
			if literal[i+1] == 0x80 && literal[i+2]|1 == 0xA9 {
				return false
			}
		}
	}
	return true
}

// quote returns a string as encoding/json writes it.
func quote(content string) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(content) // A string cannot fail.
	return strings.TrimSuffix(text.String(), "\n")
}
