// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"strings"
	"unicode"
)

// findUses visits everything that can name something in the graph. Nodes are
// first, so that it is known then what belongs to a node.
func (b *builder) findUses() {
	for _, n := range b.nodes {
		s := search{builder: b}
		s.found = func(id *identifier, isID bool) {
			switch {
			case id == n.id:
			case id.nodes != nil:
				n.jumps = append(n.jumps, id)
			case isID && !endsWith(id.holders, n):
				id.holders = append(id.holders, n)
				n.inside = append(n.inside, id)
			case id.links != nil && !endsWith(id.namedBy, n):
				id.namedBy = append(id.namedBy, n)
				n.inside = append(n.inside, id)
			}
		}
		s.object(n.value)
		n.start = s.start
	}
	for _, e := range b.entrypoints {
		seen := map[*identifier]bool{}
		s := search{builder: b}
		s.found = func(id *identifier, _ bool) {
			switch {
			case seen[id]:
			case id.links != nil:
				e.links = append(e.links, id)
			case id.inNode():
				e.inside = append(e.inside, id)
			}
			seen[id] = true
		}
		s.object(e.value)
	}
	outside := search{builder: b, found: func(id *identifier, _ bool) { b.outside = append(b.outside, id) }}
	for _, v := range b.outsideValues {
		outside.value("", v)
	}
	uses := search{builder: b, found: func(*identifier, bool) {}}
	for _, v := range b.usesOnly {
		uses.value("", v)
	}
}

func endsWith(nodes []*node, n *node) bool { return len(nodes) > 0 && nodes[len(nodes)-1] == n }

// inNode reports whether this is a node's ID or belongs to a node.
func (id *identifier) inNode() bool { return id != nil && (id.nodes != nil || id.holders != nil) }

// search finds identifiers in values, and stores the labels of objects that have
// one as their ID.
type search struct {
	*builder
	// found is called for each identifier.
	found func(id *identifier, isID bool)
	// start reports that something has the type of an entry point.
	start bool
}

// value searches a value with a key, or without one in an array.
func (s *search) value(key string, v value) {
	switch v.kind() {
	case '"':
		s.text(key, v.text())
	case '0':
		if s.numericIDs || key == "id" {
			s.text(key, v.text())
		}
	case '[':
		for _, element := range v.members() {
			s.value("", element)
		}
	case '{':
		s.object(v)
	}
}

func (s *search) object(v value) {
	var id *identifier
	var l label
	for key, member := range v.members() {
		if known := s.identifiers[key]; known != nil && known.isID {
			s.use(known, false)
		}
		if member.kind() != '"' {
			s.value(key, member)
			continue
		}
		known := s.text(key, member.text())
		l.add(key, member.text())
		switch {
		case key == "id" && known != nil:
			id = known
		case key == "type" && member.text() == "start":
			s.start = true
		}
	}
	if id != nil && id.label == "" {
		id.label = l.text
	}
}

// text looks up a text and its parts in quotes or braces, where code and
// templates name variables and nodes. It returns the identifier that the entire
// text is, or nil.
func (s *search) text(key, text string) *identifier {
	id, isID := s.identifiers[text], key == "id"
	s.use(id, isID)
	if !isID && strings.ContainsAny(text, "\"'`{") {
		s.parts(text, func(r rune) bool { return r == '"' || r == '\'' || r == '`' || r == '\\' })
		s.templates(text)
	}
	return id
}

func (s *search) templates(text string) {
	for {
		_, rest, ok := strings.Cut(text, "{{")
		if !ok {
			return
		}
		var inside string
		inside, text, _ = strings.Cut(rest, "}}")
		s.use(s.identifiers[strings.TrimSpace(inside)], false)
		// {{= first name + 1 =}} has a name of two words.
		s.parts(inside, func(r rune) bool { return r != ' ' && r != '-' && !isWord(r) })
		s.parts(inside, func(r rune) bool { return !isWord(r) })
	}
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func (s *search) parts(text string, between func(rune) bool) {
	for part := range strings.FieldsFuncSeq(text, between) {
		s.use(s.identifiers[strings.TrimSpace(part)], false)
	}
}

func (s *search) use(id *identifier, isID bool) {
	if id != nil {
		id.used = true
		s.found(id, isID)
	}
}
