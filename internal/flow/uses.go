// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"slices"
	"strings"
	"unicode"
)

// findUses visits everything that can name something in the graph. It returns
// what leads to the nodes that the definition names outside the graph.
func (g *graph) findUses() (outside *node) {
	elements := slices.Concat(g.nodes, g.entrypoints)
	for _, n := range elements {
		for _, v := range n.values {
			g.findKeys(n, "", v)
		}
	}
	outside = &node{}
	ways := &search{graph: g, in: outside}
	for _, n := range elements {
		for _, v := range n.values {
			(&search{graph: g, in: n, inside: true, outside: ways}).value(v, "")
		}
	}
	g.findOutsideUses(ways)
	// A name in a formula can contain the characters of operators.
	formulas := strings.Join(g.formulas, "\n")
	for _, v := range g.variables {
		if v.name != nil && !v.name.used {
			v.name.used = strings.Contains(formulas, v.name.text)
		}
	}
	return outside
}

// findOutsideUses visits what is not in nodes and entry points. Notes can contain any name,
// and telemetry lists every variable as a column.
func (g *graph) findOutsideUses(ways *search) {
	// What links and variables name counts as used, but leads nowhere, so nobody reads
	// this node.
	uses := &search{graph: g, in: &node{}}
	graph := g.definition.Member("graph")
	uses.value(graph.Member("links"), "")
	elements(graph.Member("memory"), uses.variable)
	ways.membersBut(graph, "nodes", "entrypoints", "links", "memory")
	ways.membersBut(g.definition.Member("canvas"), "annotations")
	ways.membersBut(g.definition.Value, "graph", "canvas", "telemetry")
}

// membersBut searches the members of an object, except for those under some keys.
func (s *search) membersBut(object value, keys ...string) {
	for key, member := range object.Members() {
		if !slices.Contains(keys, key) {
			s.value(member, "")
		}
	}
}

// findKeys finds the keys of IDs of variables, what jumps name, and whether items repeat the
// ID of their node.
func (g *graph) findKeys(n *node, key string, v value) {
	isItem := v.Member("id").Text() != ""
	g.itemsRepeatNodes = g.itemsRepeatNodes || isItem && n.id != nil && v.Member("groupId").Text() == n.id.text
	switch text := v.Text(); {
	case text == "" || key == "id" || slices.Contains(titleKeys, key):
	case key == "groupId" || key == "blockId":
		g.identifier(text).isEnd = true
	case !slices.Contains(graphKeys, key):
		if id := g.identifiers[text]; id != nil && id.variables != nil {
			if g.variableKeys[key] == nil {
				g.variableKeys[key] = map[string][]*node{}
			}
			g.variableKeys[key][text] = nil
		}
	}
	for k, member := range v.Members() {
		if v.Kind() == '{' {
			key = k
		}
		g.findKeys(n, key, member)
	}
}

// search finds identifiers in values.
type search struct {
	*graph
	in *node
	// inside reports that the values belong to the node, and inItem that they belong to
	// an object in an array of it.
	inside, inItem, inBraces bool
	// outside is the search for what the definition names outside the graph.
	outside *search
}

// variable searches a variable without its ID and name.
func (s *search) variable(v value) { s.membersBut(v, "id", "name") }

// value searches a value. The item is the innermost object with an ID around it.
func (s *search) value(v value, itemID string) {
	switch v.Kind() {
	case '"', '0':
		s.text(v.Text())
	case '[':
		s.elements(v, itemID)
	case '{':
		s.object(v, itemID)
	}
}

// object searches an object.
func (s *search) object(v value, itemID string) {
	id, target := v.Member("id").Text(), v.Member("groupId").Text()
	if id != "" {
		itemID = id
		s.item(v, id)
	}
	namesOthers := false
	for key, member := range v.Members() {
		if s.isOthers(key, member) {
			namesOthers = true
			s.addAgentLink(key, member.Text(), itemID)
		}
	}
	if target != "" && (id == "" || !s.itemsRepeatNodes) {
		s.jump(v, target, v.Member("blockId").Text(), itemID, namesOthers)
	}
	for key, member := range v.Members() {
		s.member(v, key, member, itemID)
		if texts := s.variableKeys[key]; texts != nil && s.inside && !namesOthers {
			s.unknownVariables(texts, member)
		}
	}
}

// addAgentLink adds what may be a link to another agent.
func (s *search) addAgentLink(key, agentID, itemID string) {
	link := AgentLink{key, agentID}
	if _, found := s.agentLinks[link]; !found {
		s.agentLinks[link] = itemID
	}
}

// elements searches an array, in which each object is an item unless the array is in an
// item itself.
func (s *search) elements(array value, itemID string) {
	for _, element := range array.Members() {
		isItem := !s.inItem && element.Kind() == '{'
		if isItem {
			s.in.hasItems = true
			s.in.hasIDs = s.in.hasIDs || element.Member("id").Text() != ""
			s.inItem = true
		}
		s.value(element, itemID)
		if isItem {
			s.inItem = false
		}
	}
}

// member searches a member of an object.
func (s *search) member(object value, key string, member value, itemID string) {
	if id := s.identifiers[key]; id != nil && (id.node != nil || id.variables != nil) {
		s.use(key) // An ID can be a key, but a name can also be an unrelated key.
	}
	switch {
	case (key == "id" || key == "groupId") && member.Text() != "":
	case key == "outgoingEdgeId" && member.Text() != "":
		if s.inside {
			s.exit(member.Text(), exit{s.in, itemID, object})
		}
	case key == "body" && member.Text() == "{{state}}": // The request sends all answers of the session.
		s.use("state")
	default:
		s.in.start = s.in.start || key == "type" && member.Text() == "start"
		if s.inside && !s.inItem && member.Kind() == '[' {
			s.list(key, member)
		}
		s.value(member, itemID)
	}
}

// list notes whether an array can contain items, or contains nothing.
func (s *search) list(key string, array value) {
	if array.Len() == 0 {
		s.in.emptyKeys = append(s.in.emptyKeys, key)
	}
	for _, element := range array.Members() {
		s.itemKeys[key] = s.itemKeys[key] || element.Member("id").Text() != ""
	}
}

// item adds an object with an ID.
func (s *search) item(v value, text string) {
	s.use(text)
	id := s.identifiers[text]
	if id == nil || id == s.in.id || id.node != nil || !s.inside {
		return
	}
	s.in.sources = append(s.in.sources, id)
	if id.isEnd {
		s.contained[nodeItem{s.in, id}] = true
	}
	if id.holder == nil {
		id.holder, id.item = s.in, v
	}
}

// exit adds where a node or an entry point continues at a link.
func (s *search) exit(text string, e exit) {
	id := s.identifiers[text]
	isLink := id != nil && id.links != nil
	s.nodesNameLinks = s.nodesNameLinks || !s.in.isEntrypoint
	s.entrypointsNameLinks = s.entrypointsNameLinks || s.in.isEntrypoint && isLink
	if !isLink {
		s.in.missing = append(s.in.missing, missingEnd{e, text, false, nil})
		return
	}
	s.in.sources = append(s.in.sources, id)
	if id.exit == nil {
		id.exit = &e
	}
}

// jump adds a way to the node that a text under groupId names.
func (s *search) jump(object value, target, targetItem, itemID string, isOthers bool) {
	id := s.identifiers[target]
	isVariable := func(text string) bool {
		id := s.identifiers[text]
		return strings.Contains(text, "{{") || id != nil && (id.variables != nil || id.isName)
	}
	lost := missingEnd{exit{s.in, itemID, object}, target, true, nil}
	switch {
	case !s.inside:
		s.text(target)
	case isOthers:
		// The node here may have the same ID, so it counts as reached, but there is no jump.
		if id == nil || id != s.in.id {
			s.outside.text(target)
		}
	case id != nil && id.node != nil:
		s.text(target)
		if lost.id, lost.target = targetItem, id.node; targetItem != "" && !isVariable(targetItem) {
			s.in.missing = append(s.in.missing, lost)
		}
	case isVariable(target):
		s.text(target)
		s.in.jumpsAnywhere = true
	default:
		s.in.missing = append(s.in.missing, lost)
	}
}

// graphKeys are the documented keys of IDs in the same graph.
var graphKeys = []string{"groupId", "blockId", "itemId", "outgoingEdgeId"}

// isOthers reports whether a member is the ID of something that is not in this agent's graph,
// and that is not the agent itself, so that what is beside it is another agent's, too.
func (s *search) isOthers(key string, member value) bool {
	if !strings.HasSuffix(key, "Id") || slices.Contains(graphKeys, key) || s.variableKeys[key] != nil {
		return false
	}
	text := member.Text()
	return text != "" && s.identifiers[text] == nil && !slices.Contains(s.agent, text)
}

// unknownVariables adds the node to the texts under a key of IDs of variables that have none.
func (s *search) unknownVariables(texts map[string][]*node, v value) {
	if text := v.Text(); text != "" && s.identifiers[text] == nil && !strings.Contains(text, "{{") {
		s.addTo(texts, text)
	}
	if v.Kind() == '[' {
		for _, element := range v.Members() {
			s.unknownVariables(texts, element)
		}
	}
}

// addTo adds the node to those that use a name.
func (s *search) addTo(nodes map[string][]*node, name string) {
	if users := nodes[name]; len(users) == 0 || users[len(users)-1] != s.in {
		nodes[name] = append(users, s.in)
	}
}

// text looks up a text and its parts in quotes or braces, where code and
// templates name variables and nodes.
func (s *search) text(text string) {
	s.use(text)
	if strings.ContainsAny(text, "\"'`{") {
		isQuote := func(r rune) bool { return r == '"' || r == '\'' || r == '`' || r == '\\' }
		for part := range strings.FieldsFuncSeq(text, isQuote) {
			s.use(part)
			s.use(strings.TrimSpace(part))
		}
		s.inBraces = true
		s.templates(text)
		s.inBraces = false
		if _, formula, ok := strings.Cut(text, "{{="); ok {
			s.formulas = append(s.formulas, formula)
		}
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
		inside = strings.TrimLeft(inside[strings.LastIndex("{{"+inside, "{{"):], "{")
		s.use(inside)
		s.use(strings.TrimSpace(inside))
		if strings.ContainsFunc(inside, isOperator) {
			s.formulas = append(s.formulas, inside)
		}
		if ok && s.inside && !s.in.isEntrypoint {
			s.addUndefined(inside)
		}
	}
}

// addUndefined adds a name that is not exactly a variable's. White space around it only
// matters if it is the only difference. A text with an equals sign is a formula.
func (s *search) addUndefined(name string) {
	trimmed := strings.TrimSpace(name)
	if s.isVariable(name) || trimmed == "" || strings.ContainsAny(name, "{}=") {
		return
	}
	if !s.isVariable(trimmed) {
		name = trimmed
	}
	s.addTo(s.undefined, name)
}

func (s *search) isVariable(name string) bool {
	id := s.identifiers[name]
	return id != nil && id.isName
}

// isOperator reports whether a character in braces can stand between names.
func isOperator(r rune) bool {
	return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !unicode.IsSpace(r)
}

// use looks up a text that can be the ID or the name of a variable, or the ID of a
// node.
func (s *search) use(text string) {
	id := s.identifiers[text]
	if id == nil {
		return
	}
	id.used, id.isNamed = true, id.isNamed || !s.inBraces
	if id.node != nil && id != s.in.id {
		s.in.jumps = append(s.in.jumps, id.node)
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

// unset returns the names of variables that occur only in braces, and have no value.
func (g *graph) unset() []string {
	names := []string{}
	for _, v := range g.variables {
		if v.name != nil && v.name.used && !v.name.isNamed && !v.hasValue && (v.id == nil || !v.id.used) {
			names = append(names, v.name.text)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
