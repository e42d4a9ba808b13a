// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// findUses visits everything that can name something in the graph. It returns
// what leads to the nodes that the definition names outside the nodes.
func (g *graph) findUses() (outside *node) {
	elements := slices.Concat(g.nodes, g.entrypoints)
	for _, n := range elements {
		for _, v := range n.values {
			g.findKeys(n, "", v)
		}
	}
	for _, n := range elements {
		for _, v := range n.values {
			(&search{
				graph:  g,
				in:     n,
				ways:   &n.ways,
				inside: true,
			}).value(v, "")
		}
	}
	outside = &node{id: &identifier{}}
	s := &search{graph: g, in: outside, ways: &outside.ways}
	for key, member := range g.definition.Members() {
		// Telemetry lists every variable as a column, and notes on the canvas can contain any name.
		if key != "graph" && key != "telemetry" && key != "canvas" {
			s.value(member, "")
		}
	}
	return outside
}

// findKeys finds the keys of IDs of variables, what jumps name, and whether items repeat the
// ID of their node.
func (g *graph) findKeys(n *node, key string, v value) {
	if v.Kind() == '{' {
		g.findItem(n, key, v)
	}
	if id := g.identifiers[v.Text()]; id != nil && id.isVariable {
		if g.variableKeys[key] == nil {
			g.variableKeys[key] = map[string][]*node{}
		}
		g.variableKeys[key][id.text] = nil
	}
	for k, member := range v.Members() {
		if v.Kind() == '{' {
			key = k
		}
		g.findKeys(n, key, member)
	}
}

// findItem finds what an object says about items.
func (g *graph) findItem(n *node, key string, v value) {
	var group *identifier
	if v.Member("groupId").Text() != "" {
		group = g.idIn(v, "groupId")
		g.idIn(v, "blockId").isTarget = true
	}
	id := g.idIn(v, "id")
	if id.node == nil && id != n.id {
		id.holders = append(id.holders, n)
		id.item = cmp.Or(id.item, v)
	}
	if key == "blocks" && id.text != "" {
		n.hasItems = true
		g.itemsRepeatNodes = g.itemsRepeatNodes || group == n.id
	}
}

// startType is the type of the entry points at which sessions start.
const startType = "start"

// search finds identifiers in values.
type search struct {
	*graph
	in *node
	// ways are those of the node, or of an item that no session reaches.
	*ways
	// inside reports that the values belong to the node.
	inside bool
}

// value searches a value. The item is the innermost object with an ID around it.
func (s *search) value(v value, itemID string) {
	if v.Kind() == '{' {
		s.object(v, itemID)
		return
	}
	s.text(v.Text())
	own := s.ways
	var choice *exit
	for _, element := range v.Members() {
		text := element.Member("id").Text()
		switch id := s.identifiers[text]; {
		case id != nil && id.isTarget:
			choice, s.ways = nil, own
		case choice != nil && id != nil:
			hidden := &node{id: id, title: s.in.title, behind: choice}
			s.in.hidden = append(s.in.hidden, hidden)
			if s.ways != own {
				s.jumps = append(s.jumps, hidden)
			}
			s.ways = &hidden.ways
		}
		s.value(element, itemID)
		if isLeft(element) {
			choice = &exit{s.in, text, element}
		}
	}
	s.ways = own
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

// object searches an object.
func (s *search) object(v value, itemID string) {
	id, target := v.Member("id").Text(), v.Member("groupId").Text()
	if id != "" {
		itemID = id
		s.use(id)
		if source := s.identifier(id); source.node == nil || source == s.in.id {
			s.sources = append(s.sources, source)
		}
	}
	at := exit{s.in, itemID, v}
	namesOthers := false
	for key, member := range v.Members() {
		if s.isOthers(key, member) {
			namesOthers = true
			link := AgentLink{key, member.Text()}
			s.agentLinks[link] = cmp.Or(s.agentLinks[link], itemID)
		}
	}
	hasMeaning := id == "" || !s.itemsRepeatNodes
	if target != "" && s.inside && hasMeaning && !namesOthers {
		s.jump(target, v.Member("blockId").Text(), at)
	}
	for key, member := range v.Members() {
		s.member(key, member, at)
	}
}

// member searches a member of an object.
func (s *search) member(key string, member value, e exit) {
	text := member.Text()
	switch {
	case (key == "id" || key == "groupId") && text != "":
	case key == "outgoingEdgeId" && text != "":
		if s.inside {
			s.exit(text, e)
		}
	default:
		s.in.start = s.in.start || key == "type" && text == startType
		texts := s.variableKeys[key]
		if texts != nil && text != "" && s.identifiers[text] == nil {
			s.addTo(texts, text)
		}
		s.value(member, e.itemID)
	}
}

// exit adds where a node or an entry point continues at a link.
func (s *search) exit(text string, e exit) {
	named := s.identifier(text)
	s.entrypointsNameLinks = s.entrypointsNameLinks || s.in.isEntrypoint
	s.itemsNameLinks = s.itemsNameLinks || !s.in.isEntrypoint && e.isElement()
	if named.links == nil {
		s.missingLinks = append(s.missingLinks, missingEnd{e, text, nil})
		return
	}
	s.sources = append(s.sources, named)
	for _, l := range named.links {
		l.exits = append(l.exits, e)
	}
}

// jump adds a way to the node that a text under groupId names.
func (s *search) jump(target, item string, e exit) {
	to := s.identifiers[target].node
	switch {
	case strings.Contains(target, "{{"):
		s.text(target)
		s.jumpsAnywhere = true
	case to == nil:
		s.missingJumps = append(s.missingJumps, missingEnd{e, target, nil})
	default:
		s.use(target)
		if !strings.Contains(item, "{{") && to.lacks(s.identifier(item)) {
			s.missingJumps = append(s.missingJumps, missingEnd{e, item, to})
		}
	}
}

// isOthers reports whether a member is the ID of something that is not in this agent's graph,
// and that is not the agent itself, so that what is beside it is another agent's, too.
func (s *search) isOthers(key string, member value) bool {
	if !strings.HasSuffix(key, "Id") || key == "outgoingEdgeId" || s.variableKeys[key] != nil {
		return false
	}
	text := member.Text()
	return text != "" && s.identifiers[text] == nil && !slices.Contains(s.agent, text)
}

// addTo adds the node to those that use a name.
func (s *search) addTo(nodes map[string][]*node, name string) {
	if users := nodes[name]; s.inside && (len(users) == 0 || users[len(users)-1] != s.in) {
		nodes[name] = append(users, s.in)
	}
}

// inBraces matches a name where a template reads it.
var inBraces = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// text looks up a text and its parts in quotes or braces, where code and
// templates name variables and nodes.
func (s *search) text(text string) {
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
		if s.identifiers[name] == nil && strings.TrimSpace(name) != "" && !strings.Contains(name, "=") {
			s.addTo(s.undefined, name)
		}
	}
}

// use looks up a text that can be the ID or the name of a variable, or the ID of a
// node.
func (s *search) use(text string) {
	id := s.identifiers[text]
	if id == nil {
		return
	}
	id.used = true
	if id.node != nil && id != s.in.id {
		s.jumps = append(s.jumps, id.node)
	}
}

// titleKeys are the keys of the texts that name an object, the best one first.
// The value is what a condition compares with.
var titleKeys = []string{"title", "label", "name", "content", "text", "value"}

// titleOf returns the best text of an object to call it by.
func titleOf(v value) string {
	for _, key := range titleKeys {
		if member := v.Member(key); member.Kind() == '"' && member.Text() != "" {
			return member.Text()
		}
	}
	return ""
}

// titleIn returns the title of a value, or else the first title in it.
func titleIn(v value) string {
	title := titleOf(v)
	for _, member := range v.Members() {
		if title == "" {
			title = titleIn(member)
		}
	}
	return title
}
