// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import "slices"

func newGraph(definition value) *graph {
	g := &graph{definition: definition, identifiers: map[string]*identifier{}, undefined: map[string]*undefined{}}
	parts := definition.member("graph")
	nodes := elements(parts.member("nodes"), g.addNode)
	links := elements(parts.member("links"), g.addLink)
	g.unexpected = !nodes || !links
	elements(parts.member("entrypoints"), g.addEntrypoint)
	elements(parts.member("memory"), g.addVariable)
	g.findWays(g.findUses())
	return g
}

// elements adds the objects of an array. It reports whether there is nothing
// else.
func elements(array value, add func(value)) bool {
	if array.kind() != '[' {
		return array == nil || array.kind() == 'n'
	}
	expected := true
	for _, member := range array.members() {
		if member.kind() == '{' {
			add(member)
		} else {
			expected = expected && member.kind() == 'n'
		}
	}
	return expected
}

func (g *graph) addNode(v value) {
	id := g.identifier(v.id())
	if id != nil && id.node != nil {
		id.node.values = append(id.node.values, v)
		return
	}
	n := &node{id: id, title: line(v.label().text), values: []value{v}}
	if id != nil {
		id.node = n
		n.sources = append(n.sources, &id.from)
	}
	g.nodes = append(g.nodes, n)
}

func (g *graph) addEntrypoint(v value) {
	n := &node{id: g.identifier(v.id()), title: line(v.member("type").text()), values: []value{v}, isEntrypoint: true}
	if n.id != nil {
		n.id.entrypoints = append(n.id.entrypoints, n)
		n.sources = append(n.sources, &n.id.from)
	}
	g.entrypoints = append(g.entrypoints, n)
}

func (g *graph) addLink(v value) {
	l := &link{id: g.identifier(v.id())}
	l.froms, l.blockID = g.side(v.member("from"), "blockId")
	l.tos, l.groupID = g.side(v.member("to"), "groupId")
	if l.id != nil {
		l.id.named.links = append(l.id.named.links, l)
	}
	g.links = append(g.links, l)
}

// side returns the IDs on one side of a link, and first among them the
// documented one.
func (g *graph) side(v value, key string) (ids []*identifier, documented *identifier) {
	if documented = g.identifier(v.member(key).text()); documented != nil {
		ids = append(ids, documented)
	}
	if v.kind() != '{' {
		return ids, documented
	}
	for k, member := range v.members() {
		if id := g.identifier(member.text()); id != nil && k != key {
			ids = append(ids, id)
		}
	}
	return ids, documented
}

func (g *graph) addVariable(v value) {
	added := &variable{g.identifier(v.id()), g.identifier(v.member("name").text())}
	if added.id != nil {
		added.id.isVariable = true
		added.id.variables = append(added.id.variables, added)
	}
	if added.name != nil {
		added.name.isVariable = true
	}
	g.variables = append(g.variables, added)
}

// identifier returns the identifier with a text and adds it if necessary. An
// empty text has none.
func (g *graph) identifier(text string) *identifier {
	if text == "" {
		return nil
	}
	id := g.identifiers[text]
	if id == nil {
		id = &identifier{text: text}
		g.identifiers[text] = id
	}
	return id
}

// textOf returns the text of an identifier, or nothing for nil.
func textOf(id *identifier) string {
	if id == nil {
		return ""
	}
	return id.text
}

func (id *identifier) inGraph() bool { return id.at() != nil }

// at returns the node with an ID, or else the first one with such an item, or
// else the entry point.
func (id *identifier) at() *node {
	switch {
	case id.node != nil:
		return id.node
	case id.holder != nil:
		return id.holder
	case len(id.entrypoints) > 0:
		return id.entrypoints[0]
	}
	return nil
}

// findWays finds the ends of links, and what sessions reach.
func (g *graph) findWays(outside *node) {
	known, unknown := false, false
	for _, l := range g.links {
		if i := slices.IndexFunc(l.froms, (*identifier).inGraph); i >= 0 {
			l.source = l.froms[i]
			l.source.from.links = append(l.source.from.links, l)
		}
		if i := slices.IndexFunc(l.tos, (*identifier).inGraph); i >= 0 {
			l.target = l.tos[i].at()
		}
		g.targetsKnown = g.targetsKnown || slices.ContainsFunc(l.tos, func(id *identifier) bool { return id.node != nil })
		if !l.fromEntrypoint() {
			known = known || l.origin() != nil
			unknown = unknown || l.origin() == nil
		}
	}
	// If all links come from entry points, nothing contradicts the assumption.
	g.sourcesKnown = known || !unknown
	starts := g.entrypoints
	if len(starts) == 0 {
		starts = slices.DeleteFunc(slices.Clone(g.nodes), func(n *node) bool { return !n.start })
	}
	for _, n := range follow(1, starts...) {
		n.reached = true
		g.entered = g.entered || !n.isEntrypoint
	}
	for _, n := range follow(2, outside) {
		n.reached = true
	}
}

// origin returns the node or the entry point that a link comes from.
func (l *link) origin() *node {
	switch {
	case l.source != nil:
		return l.source.at()
	case l.id != nil:
		return l.id.exitOf
	}
	return nil
}

func (l *link) fromEntrypoint() bool {
	return l.source != nil && l.source.entrypoints != nil || l.id != nil && l.id.isEntry
}

// follow returns the nodes that can be reached from others, with these, unless
// they were reached before, or in the same pass.
func follow(pass int, from ...*node) []*node {
	var found []*node
	visit := func(n *node) {
		if n != nil && !n.reached && n.pass != pass {
			n.pass = pass
			found = append(found, n)
		}
	}
	for _, n := range from {
		visit(n)
	}
	for i := 0; i < len(found); i++ {
		for _, s := range found[i].sources {
			if s.pass == pass {
				continue
			}
			s.pass = pass
			for _, l := range s.links {
				visit(l.target)
			}
		}
		for _, n := range found[i].jumps {
			visit(n)
		}
	}
	return found
}

// unreachable reports whether no session reaches a node. Nothing is unreachable
// if sources are not known, or if no entry point leads to a node, because one
// cause must not result in a finding for every node.
func (g *graph) unreachable(n *node) bool {
	return g.targetsKnown && g.sourcesKnown && g.entered && !n.reached && !n.isEntrypoint && n.id != nil
}

// lostParts returns the unreachable nodes that no other unreachable node leads
// to, each followed by the nodes that it leads to. Of nodes that lead to each
// other, the first one counts.
func (g *graph) lostParts() [][]*node {
	const first, second, third = 3, 4, 5
	var roots, lost []*node
	for _, n := range g.nodes {
		// What comes later and leads here is not known yet.
		if g.unreachable(n) && len(follow(first, n)) > 0 {
			roots = append(roots, n)
		}
	}
	for _, n := range slices.Backward(roots) {
		if len(follow(second, n)) > 0 {
			lost = append(lost, n)
		}
	}
	var parts [][]*node
	for _, n := range slices.Backward(lost) {
		parts = append(parts, follow(third, n))
	}
	return parts
}

// missingTarget returns the node that a link names but the graph does not
// contain, or nil. A link that names no node may end the conversation.
func (g *graph) missingTarget(l *link) *identifier {
	if !g.targetsKnown || l.target != nil {
		return nil
	}
	return l.groupID
}

// missingSource returns the source that a link names but the graph does not
// contain, or nil. A link that an element names does not require a source.
func (g *graph) missingSource(l *link) *identifier {
	if !g.targetsKnown || !g.sourcesKnown || l.origin() != nil {
		return nil
	}
	return l.blockID
}

// label returns the text of the item that a link comes from. If the link names
// several, that is the innermost one. A block has no text of its own.
func (l *link) label() string {
	var item *identifier
	for _, id := range l.froms {
		if id != l.blockID && id.label != "" && (item == nil || id.depth > item.depth) {
			item = id
		}
	}
	switch {
	case item != nil:
		return item.label
	case l.id != nil && l.id.exitID != textOf(l.blockID):
		return l.id.exit
	}
	return ""
}
