// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// braces are before a name in a template, and in place of its key in undefined.
const braces = "{{"

// startType is the type of the entry points at which sessions start.
const startType = "start"

// findItems finds the items of a node, those to which jumps lead, and the keys of IDs of
// variables, in a value under a key.
func (g *graph) findItems(n *node, key string, v value) {
	if text := v.Text(); g.listed[listID{"variables", text}] != nil {
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
		g.items[id] = append(g.items[id], place{n.sections[0], id, v})
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

// search is a place at which names are searched. It has the fields of the graph and of the
// section, to which it adds what it finds. Its methods have it as a value, so that the place
// changes only for what they visit.
type search struct {
	*graph
	place
}

// findUses finds everything that a node names.
func (g *graph) findUses(n *node) {
	for _, v := range n.values {
		search{g, place{section: n.sections[0]}}.visit(v)
	}
}

// visit finds what a value names.
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

// visitArray visits elements. Those behind a choice are in a section of their own, up to an item
// to which something leads.
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
				s.section = s.node.addSection(choice)
			}
			s.ids = append(s.ids, id)
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

// visitObject visits members. An object with the ID of another node leads there.
func (s search) visitObject(v value) {
	s.object = v
	id, group := v.Member("id").Text(), v.Member("groupId").Text()
	if id != "" {
		s.itemID = id
		if !s.use(id) {
			s.sources = append(s.sources, id)
		}
	}
	isOthers := s.addAgentLinks()
	if group != "" && s.node != s.outside && (id == "" || !s.itemsRepeatNodes) && !isOthers {
		s.jump(group, v.Member("blockId").Text())
	}
	for key, member := range v.Members() {
		switch text := member.Text(); {
		case text == "":
			s.visit(member)
		case key == "id" || key == "groupId":
		case key == "outgoingEdgeId":
			s.addExit(text, id)
		case key == "type" && text == startType:
			s.node.isStart = true
			fallthrough
		default:
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
		isID := strings.HasSuffix(key, "Id") && key != "outgoingEdgeId" && text != ""
		if isID && s.variableKeys[key] == nil && !s.known[text] && !slices.Contains(s.agent, text) {
			link := AgentLink{key, text}
			s.agentLinks[link] = cmp.Or(s.agentLinks[link], s.itemID)
			isOthers = true
		}
	}
	return isOthers
}

// addExit adds where a session leaves a node or an entry point by a link, which is at an object
// with an ID, unless that is empty.
func (s search) addExit(link, id string) {
	if s.node == s.outside {
		return
	}
	// An element is an entry point or an item, and neither a node nor something without an ID.
	isElement := s.node.isEntrypoint || id != "" && id != s.node.id
	switch {
	case s.node.isEntrypoint:
		s.entrypointsNameLinks = true
	case isElement:
		s.itemsNameLinks = true
	}
	links := s.linksByID[link]
	if links == nil {
		s.missingLinks = append(s.missingLinks, missing{s.place, link, nil})
		return
	}
	s.sources = append(s.sources, link)
	for _, l := range links {
		l.isNamed = true
		// Only an item can name a link from an item.
		if l.exit == nil && (isElement || !l.isFromItem) {
			l.exit = &s.place
		}
	}
}

// jump adds a way to the node that a text under groupId names.
func (s search) jump(group, item string) {
	to := s.nodesByID[group]
	switch {
	case strings.Contains(group, braces):
		s.visitText(group)
		s.jumpsAnywhere = true
	case to == nil:
		s.missingJumps = append(s.missingJumps, missing{s.place, group, nil})
	default:
		s.use(group)
		if !strings.Contains(item, braces) && s.lacks(to, item) {
			s.missingJumps = append(s.missingJumps, missing{s.place, item, to})
		}
	}
}

// addUndefined adds the node to those that use a text, unless that is in the graph.
func (s search) addUndefined(key, text string) {
	name := undefined{key, text}
	users := s.undefined[name]
	isLast := len(users) > 0 && users[len(users)-1] == s.node
	if !s.known[text] && s.node != s.outside && !isLast {
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
	s.jumps = append(s.jumps, to)
	return true
}
