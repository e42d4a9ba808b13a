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
	return p.node.isEntrypoint || id != "" && id != p.node.id
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
	// links that it names. Jumps are the nodes that texts in it name, and anywhere has all nodes if
	// the ID or title of one is in a variable.
	sources         []string
	jumps, anywhere []*node
	// missingLinks and missingJumps lead to what is not in the graph.
	missingLinks, missingJumps []reference
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
	if text := v.Text(); g.byID[element{"variables", text}] != nil {
		if g.variableKeys[key] == nil {
			g.variableKeys[key] = map[string]bool{}
		}
		g.variableKeys[key][text] = true
	}
	id, group := g.idIn(v, "id"), g.idIn(v, "groupId")
	if group != "" {
		g.targets[g.idIn(v, "blockId")] = true
	}
	if id != "" && id != n.id && g.nodesByID[id] == nil {
		g.items[id] = append(g.items[id], place{n, id, v})
	}
	if id != "" && key == "blocks" {
		n.hasItems = true
		g.itemsRepeatNodes = g.itemsRepeatNodes || group != "" && group == n.id
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
	s.section.ids = []string{n.id}
	for _, v := range n.values {
		s.visit(v)
	}
}

// newSection adds a section to the node.
func (s search) newSection(choice value) *section {
	added := &section{node: s.node, choice: choice}
	s.node.sections = append(s.node.sections, added)
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
		id := element.Member("id").Text()
		switch {
		case !s.known[id]:
		case s.targets[id]:
			choice, s.section = nil, before
		case choice != nil:
			if s.section == before {
				s.section = s.newSection(choice)
			}
			s.section.ids = append(s.section.ids, id)
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
	isOthers := s.addAgentLinks()
	if group != "" && (id == "" || !s.itemsRepeatNodes) && !isOthers {
		s.jump(group, v.Member("blockId").Text())
	}
	for key, member := range v.Members() {
		switch text := member.Text(); {
		case text == "":
			s.visit(member)
		case key == "id" || key == "groupId":
		case key == "outgoingEdgeId":
			s.addExit(text)
		default:
			s.node.isStart = s.node.isStart || key == "type" && text == startType
			if s.variableKeys[key] != nil {
				s.addUndefined(key, text)
			}
			s.visitText(text)
		}
	}
}

// addAgentLinks adds the IDs in the object that are not of this agent, and reports whether there
// are any, so that what is beside them is another agent's, too.
func (s search) addAgentLinks() bool {
	isOthers := false
	for key, member := range s.object.Members() {
		text := member.Text()
		isKnown := s.known[text] || s.variableKeys[key] != nil || slices.Contains(s.agent, text)
		if strings.HasSuffix(key, "Id") && key != "outgoingEdgeId" && text != "" && !isKnown {
			link := AgentLink{key, text}
			s.agentLinks[link] = cmp.Or(s.agentLinks[link], s.itemID)
			isOthers = true
		}
	}
	return isOthers
}

// addExit adds where a session leaves a node or an entry point by a link.
func (s search) addExit(link string) {
	if s.node == s.outside {
		return
	}
	s.entrypointsNameLinks = s.entrypointsNameLinks || s.node.isEntrypoint
	s.itemsNameLinks = s.itemsNameLinks || !s.node.isEntrypoint && s.isElement()
	links := s.linksByID[link]
	if links == nil {
		s.section.missingLinks = append(s.section.missingLinks, reference{s.place, link, nil})
		return
	}
	s.section.sources = append(s.section.sources, link)
	for _, l := range links {
		l.exits = append(l.exits, s.place)
	}
}

// jump adds a way to the node that a text under groupId names.
func (s search) jump(group, item string) {
	s.visitText(group)
	to := s.nodesByID[group]
	switch {
	case strings.Contains(group, "{{"):
		s.section.anywhere = s.nodes
	case to == nil:
		s.section.missingJumps = append(s.section.missingJumps, reference{s.place, group, nil})
	case !strings.Contains(item, "{{") && s.lacks(to, item):
		s.section.missingJumps = append(s.section.missingJumps, reference{s.place, item, to})
	}
}

// addUndefined adds the node to those that use a text, unless that is in the graph.
func (s search) addUndefined(key, text string) {
	name := undefined{key, text}
	users := s.undefined[name]
	if !s.known[text] && s.node != s.outside && !slices.Contains(users, s.node) {
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
	if !s.known[text] {
		return false
	}
	s.used[text] = true
	to := s.nodesByID[text]
	if to == nil || text == s.node.id {
		return false
	}
	s.section.jumps = append(s.section.jumps, to)
	return true
}
