// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// place is an object in a node. ItemID is its ID, or that of the innermost object with an ID
// around it.
type place struct {
	node   *node
	itemID string
	object value
}

// isElement reports whether an object is an entry point or an item, and neither a node nor
// something without an ID.
func (p place) isElement() bool {
	id := p.object.Member("id").Text()
	return p.node.isEntrypoint || id != "" && id != p.node.id.text
}

// reference is where a link, a node, or an item of a target is named.
type reference struct {
	place
	id     string
	target *node // of a jump to an item
}

// section is a node, or what follows a choice in a node that no session gets past.
type section struct {
	node   *node
	choice value // nil for a node itself
	// ids are those of the items behind the choice, or that of the node.
	ids []string
	// sources are the IDs that links can come from: the node's own one, and those of items and of
	// links that it names. Jumps are the nodes that texts in it name.
	sources []string
	jumps   []*node
	// jumpsAnywhere reports a jump to a node whose ID or title is in a variable.
	jumpsAnywhere bool
	// links lead away. They are set by findStarts.
	links []*link
}

// undefined is a text that no variable has as its name, or as its ID under a key.
type undefined struct{ key, text string }

// braces is the key of names.
const braces = "{{"

// startType is the type of the entry points at which sessions start.
const startType = "start"

// findItems finds the items of a node, what jumps lead to, and the keys of IDs of variables.
func (g *graph) findItems(n *node, key string, v value) {
	if id := g.identifiers[v.Text()]; id != nil && id.variables != nil && !slices.Contains(id.keys, key) {
		id.keys = append(id.keys, key)
		g.variableKeys[key]++
	}
	group := v.Member("groupId").Text()
	if group != "" {
		g.identifier(group)
		g.idIn(v, "blockId").isTarget = true
	}
	if text := v.Member("id").Text(); text != "" {
		if id := g.identifier(text); id.node == nil && id != n.id {
			id.items = append(id.items, place{n, text, v})
		}
		if key == "blocks" {
			n.hasItems = true
			g.itemsRepeatNodes = g.itemsRepeatNodes || group != "" && group == n.id.text
		}
	}
	for k, member := range v.Members() {
		if v.Kind() == '{' {
			key = k
		}
		g.findItems(n, key, member)
	}
}

// search is a place at which uses are searched, and the section to which it belongs.
type search struct {
	*graph
	place
	section *section
}

// findUses finds everything that a node names.
func (g *graph) findUses(n *node) {
	s := search{graph: g, place: place{node: n}}
	s.section = s.newSection(nil)
	s.section.ids = []string{n.id.text}
	for _, v := range n.values {
		s.visit(v)
	}
}

// newSection adds a section to the node.
func (s search) newSection(choice value) *section {
	added := &section{node: s.node, choice: choice}
	s.node.sections = append(s.node.sections, added)
	s.graph.sections = append(s.graph.sections, added)
	return added
}

func (s search) visit(v value) {
	switch v.Kind() {
	case '{':
		s.visitObject(v)
	case '[':
		s.visitArray(v)
	default:
		s.visitText(v.Text())
	}
}

// visitArray visits elements. What follows a choice is another section, up to an item to which
// something leads.
func (s search) visitArray(v value) {
	before := s.section
	var choice value
	for _, element := range v.Members() {
		text := element.Member("id").Text()
		switch id := s.identifiers[text]; {
		case id == nil:
		case id.isTarget:
			choice, s.section = nil, before
		case choice != nil:
			if s.section == before {
				s.section = s.newSection(choice)
			}
			s.section.ids = append(s.section.ids, text)
		}
		s.visit(element)
		if isLeft(element) {
			choice = element
		}
	}
}

// isLeft reports whether an element is a choice behind which no session goes on in the node.
func isLeft(element value) bool {
	if !strings.Contains(element.Member("type").Text(), "choice") {
		return false
	}
	for key, option := range element.Member("options").Members() {
		// Several answers, or buttons from a variable.
		if key == "isMultipleChoice" && option.Kind() == 't' || strings.HasPrefix(key, "dynamic") {
			return false
		}
	}
	items := element.Member("items")
	for _, item := range items.Members() {
		if item.Member("outgoingEdgeId").Text() == "" {
			return false
		}
	}
	return items.Len() > 0
}

func (s search) visitObject(v value) {
	s.object = v
	id, group := v.Member("id").Text(), v.Member("groupId").Text()
	if id != "" {
		s.itemID = id
		if !s.use(id) {
			s.section.sources = append(s.section.sources, id)
		}
	}
	if group != "" && (id == "" || !s.itemsRepeatNodes) && !s.namesOthers() {
		s.jump(group, v.Member("blockId").Text())
	}
	for key, member := range v.Members() {
		switch text := member.Text(); {
		case text == "":
			s.visit(member)
		case key == "id" || key == "groupId":
		case key == "outgoingEdgeId":
			s.node.exits = append(s.node.exits, reference{s.place, text, nil})
			s.section.sources = append(s.section.sources, text)
		default:
			s.visitMember(key, text)
		}
	}
}

// visitMember visits a text in the object.
func (s search) visitMember(key, text string) {
	s.node.isStart = s.node.isStart || key == "type" && text == startType
	if s.isOthers(key, text) {
		link := AgentLink{key, text}
		s.agentLinks[link] = cmp.Or(s.agentLinks[link], s.itemID)
	}
	if s.variableKeys[key] > 0 {
		s.addUndefined(key, text)
	}
	s.visitText(text)
}

// jump adds a way to the node that a text under groupId names.
func (s search) jump(group, item string) {
	s.visitText(group)
	to := s.identifier(group).node
	switch {
	case strings.Contains(group, "{{"):
		s.section.jumpsAnywhere = true
	case to == nil:
		s.node.missingJumps = append(s.node.missingJumps, reference{s.place, group, nil})
	case !strings.Contains(item, "{{") && to.lacks(s.identifier(item)):
		s.node.missingJumps = append(s.node.missingJumps, reference{s.place, item, to})
	}
}

// namesOthers reports whether the object is about something of another agent.
func (s search) namesOthers() bool {
	for key, member := range s.object.Members() {
		if s.isOthers(key, member.Text()) {
			return true
		}
	}
	return false
}

// isOthers reports whether a member is the ID of something that is not in this agent's graph,
// and that is not the agent itself.
func (s search) isOthers(key, text string) bool {
	return strings.HasSuffix(key, "Id") && key != "outgoingEdgeId" && s.variableKeys[key] == 0 &&
		text != "" && s.identifiers[text] == nil && !slices.Contains(s.agent, text)
}

// addUndefined adds the node to those that use a text, unless that is in the graph.
func (s search) addUndefined(key, text string) {
	name := undefined{key, text}
	users := s.undefined[name]
	if s.identifiers[text] == nil && s.node != s.outside && !slices.Contains(users, s.node) {
		s.undefined[name] = append(users, s.node)
	}
}

// inBraces matches a name where a template reads it.
var inBraces = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// visitText looks up a text and its parts in quotes or braces, where code and
// templates name variables and nodes.
func (s search) visitText(text string) {
	s.use(text)
	if !strings.ContainsAny(text, "\"'`{") {
		return
	}
	isQuote := func(r rune) bool { return strings.ContainsRune("\"'`\\", r) }
	for part := range strings.FieldsFuncSeq(text, isQuote) {
		s.use(part)
	}
	for _, match := range inBraces.FindAllStringSubmatch(text, -1) {
		name := match[1]
		s.use(name)
		s.use(strings.TrimSpace(name))
		// A text with an equals sign is code.
		if strings.TrimSpace(name) != "" && !strings.Contains(name, "=") {
			s.addUndefined(braces, name)
		}
	}
}

// use looks up a text that can be the ID or the name of a variable, or the ID of a
// node. It reports whether the text leads to another node.
func (s search) use(text string) bool {
	id := s.identifiers[text]
	if id == nil {
		return false
	}
	id.isUsed = true
	if id.node == nil || id == s.node.id {
		return false
	}
	s.section.jumps = append(s.section.jumps, id.node)
	return true
}
