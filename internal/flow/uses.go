// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// findUses visits everything that can name something in the graph. It returns
// what leads to the nodes that the definition names outside the graph.
func (g *graph) findUses() (outside *node) {
	for _, n := range slices.Concat(g.nodes, g.entrypoints) {
		for _, v := range n.values {
			(&search{graph: g, in: n, inside: true}).object(v, "")
		}
	}
	outside = &node{}
	ways := &search{graph: g, in: outside}
	uses := &search{graph: g, in: &node{}}
	for key, member := range g.definition.members() {
		switch {
		case member.kind() == '{' && (key == "graph" || key == "canvas"):
			for key, member := range member.members() {
				switch key {
				case "nodes", "entrypoints", "annotations":
					// Notes can contain any name.
				case "links":
					uses.value(member, "")
				case "memory":
					elements(member, uses.initialValues)
				default:
					ways.value(member, "")
				}
			}
		case key != "telemetry": // It lists every variable as a column.
			ways.value(member, "")
		}
	}
	return outside
}

// search finds identifiers in values.
type search struct {
	*graph
	in *node
	// inside reports that the values belong to the node.
	inside bool
	depth  int
}

// initialValues searches a variable without its ID and name.
func (s *search) initialValues(variable value) {
	for key, member := range variable.members() {
		if key != "id" && key != "name" {
			s.value(member, "")
		}
	}
}

// value searches a value inside the object with an ID. It returns the label of
// the first object with one.
func (s *search) value(v value, owner string) (label string) {
	switch v.kind() {
	case '"', '0':
		s.text(v.text())
	case '[':
		for _, element := range v.members() {
			label = cmp.Or(label, s.value(element, owner))
		}
	case '{':
		label = s.object(v, owner)
	}
	return label
}

func (s *search) object(v value, owner string) string {
	own, best, nested, exit := v.id(), label{}, "", ""
	owner = cmp.Or(own, owner)
	s.depth++
	for key, member := range v.members() {
		if id := s.identifiers[key]; id != nil && (id.node != nil || id.variables != nil) {
			s.use(key) // An ID can be a key, but a name can also be an unrelated key.
		}
		switch text := member.text(); {
		case key == "id" && text != "":
		case key == "outgoingEdgeId" && text != "":
			exit = text
		case text != "":
			s.text(text)
			best.add(key, member)
			s.in.start = s.in.start || key == "type" && text == "start"
		default:
			nested = cmp.Or(nested, s.value(member, owner))
		}
	}
	s.depth--
	text := cmp.Or(best.text, nested)
	s.item(own, text)
	if exit != "" && s.inside {
		s.exit(exit, owner, text)
	}
	return text
}

// item adds an object with an ID.
func (s *search) item(text, label string) {
	id := s.identifiers[text]
	if id == nil {
		return
	}
	id.used = true
	switch {
	case id == s.in.id:
	case id.node != nil:
		s.in.jumps = append(s.in.jumps, id.node)
	case s.inside && id.lastHolder != s.in:
		id.holder, id.lastHolder = cmp.Or(id.holder, s.in), s.in
		s.in.sources = append(s.in.sources, &id.from)
		if id.label == "" {
			id.label, id.depth = label, s.depth
		}
	}
}

// exit adds where a node or an entry point continues at a link.
func (s *search) exit(link, owner, label string) {
	id := s.identifiers[link]
	if id == nil || id.named.links == nil {
		s.in.missing = append(s.in.missing, missingLink{link, owner, label})
		return
	}
	s.in.sources = append(s.in.sources, &id.named)
	id.isEntry = id.isEntry || s.in.isEntrypoint
	if id.exitOf == nil {
		id.exitOf, id.exit, id.exitID = s.in, label, owner
	}
}

// text looks up a text and its parts in quotes or braces, where code and
// templates name variables and nodes.
func (s *search) text(text string) {
	s.use(text)
	if strings.ContainsAny(text, "\"'`{") {
		s.parts(text, func(r rune) bool { return r == '"' || r == '\'' || r == '`' || r == '\\' })
		s.templates(text)
	}
}

func (s *search) templates(text string) {
	for {
		_, rest, ok := strings.Cut(text, "{{")
		if !ok {
			return
		}
		var inside string
		inside, text, ok = strings.Cut(rest, "}}")
		name := strings.TrimSpace(inside)
		known := s.use(name)
		// {{= first name + 1 =}} has a name of two words.
		known = s.parts(inside, func(r rune) bool { return r != ' ' && r != '-' && !isWord(r) }) || known
		known = s.parts(inside, func(r rune) bool { return !isWord(r) }) || known
		// A text with an equals sign is a formula.
		if ok && !known && name != "" && s.inside && !s.in.isEntrypoint && !strings.Contains(inside, "=") {
			s.undefine(name)
		}
	}
}

func (s *search) undefine(name string) {
	u := s.undefined[name]
	if u == nil {
		u = &undefined{name: name}
		s.undefined[name] = u
	}
	if !slices.Contains(u.nodes[max(0, len(u.nodes)-1):], s.in) {
		u.nodes = append(u.nodes, s.in)
	}
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// parts reports whether a part is the ID or the name of a variable.
func (s *search) parts(text string, between func(rune) bool) (known bool) {
	for part := range strings.FieldsFuncSeq(text, between) {
		known = s.use(strings.TrimSpace(part)) || known
	}
	return known
}

// use reports whether the text is the ID or the name of a variable.
func (s *search) use(text string) bool {
	id := s.identifiers[text]
	if id == nil {
		return false
	}
	id.used = true
	if id.node != nil && id != s.in.id {
		s.in.jumps = append(s.in.jumps, id.node)
	}
	return id.isVariable
}

// labelKeys are the keys of the texts that name an object, the best one last.
// The value is what a condition compares with.
var labelKeys = []string{"value", "text", "content", "name", "label", "title"}

// label is the best text of an object to call it by.
type label struct {
	text string
	rank int
}

func (l *label) add(key string, v value) {
	rank := slices.Index(labelKeys, key)
	if v.kind() == jsontext.Kind('"') && v.text() != "" && rank >= 0 && rank >= l.rank {
		*l = label{v.text(), rank}
	}
}

// label returns the best text of an object to call it by.
func (v value) label() label {
	var l label
	if v.kind() == '{' {
		for key, member := range v.members() {
			l.add(key, member)
		}
	}
	return l
}
