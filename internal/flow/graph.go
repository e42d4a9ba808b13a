// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

func newGraph(d definition.Definition) *graph {
	d = without(d, backReferences(d))
	g := &graph{
		definition: d, contained: map[nodeItem]bool{}, undefined: map[string][]*node{}, itemKeys: map[string]bool{},
		titles: map[value]string{},
		// About one token in 16 is an ID or a name. Growing the map would take 7% more time.
		identifiers: make(map[string]*identifier, d.Size()/16),
	}
	ref := d.Member("ref")
	g.agent = []string{"current", ref.Member("key").Text(), ref.Member("publicKey").Text()}
	parts := d.Member("graph")
	nodes, links := parts.Member("nodes"), parts.Member("links")
	g.isEmpty = nodes.Size() <= 1 && links.Size() <= 1
	elements(nodes, g.addNode)
	elements(links, g.addLink)
	elements(parts.Member("entrypoints"), g.addEntrypoint)
	elements(parts.Member("memory"), g.addVariable)
	outside := g.findUses()
	g.findEnds()
	g.findWays(outside)
	return g
}

// elements adds the objects of an array.
func elements(array value, add func(value)) {
	for _, member := range array.Members() {
		if array.Kind() == '[' && member.Kind() == '{' {
			add(member)
		}
	}
}

func (g *graph) addNode(v value) {
	id := g.identifier(v.Member("id").Text())
	if id != nil && id.node != nil {
		id.node.values = append(id.node.values, v)
		return
	}
	n := &node{id: id, title: line(titleOf(v)), values: []value{v}}
	if id != nil {
		id.node, n.sources = n, []*identifier{id}
	}
	g.nodes = append(g.nodes, n)
}

func (g *graph) addEntrypoint(v value) {
	id := g.identifier(v.Member("id").Text())
	if id != nil && id.entrypoint != nil {
		id.entrypoint.values = append(id.entrypoint.values, v)
		return
	}
	n := &node{id: id, title: line(v.Member("type").Text()), values: []value{v}, isEntrypoint: true}
	if id != nil {
		id.entrypoint, n.sources = n, []*identifier{id}
	}
	g.entrypoints = append(g.entrypoints, n)
}

func (g *graph) addLink(v value) {
	from, to := v.Member("from"), v.Member("to")
	l := &link{
		id:      g.identifier(v.Member("id").Text()),
		blockID: from.Member("blockId").Text(), froms: g.side(from, "blockId"),
		groupID: to.Member("groupId").Text(), tos: g.side(to, "groupId"),
		item: g.identifier(to.Member("blockId").Text()),
	}
	if l.id != nil {
		l.id.links = append(l.id.links, l)
	}
	g.links = append(g.links, l)
}

// side returns the IDs on one side of a link, the one under the documented key
// first.
func (g *graph) side(v value, documented string) []*identifier {
	var ids []*identifier
	add := func(member value) {
		if id := g.identifier(member.Text()); id != nil {
			id.isEnd = true
			ids = append(ids, id)
		}
	}
	add(v.Member(documented))
	for key, member := range v.Members() {
		if key != documented {
			add(member)
		}
	}
	return ids
}

func (g *graph) addVariable(v value) {
	added := &variable{g.identifier(v.Member("id").Text()), g.identifier(v.Member("name").Text())}
	if added.id != nil {
		added.id.variables = append(added.id.variables, added)
	}
	if added.name != nil {
		added.name.isName = true
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

// at returns the node with an ID, or else the first one with such an item, or
// else the entry point.
func (id *identifier) at() *node { return cmp.Or(id.node, id.holder, id.entrypoint) }

func (id *identifier) inGraph() bool { return id.at() != nil }

// findEnds finds the ends of links and jumps.
func (g *graph) findEnds() {
	for _, n := range slices.Concat(g.nodes, g.entrypoints) {
		n.lostJumps = slices.DeleteFunc(n.lostJumps, func(m missingEnd) bool {
			id := g.identifiers[m.id]
			return id != nil && id.inGraph()
		})
	}
	for _, l := range g.links {
		if i := slices.IndexFunc(l.tos, (*identifier).inGraph); i >= 0 {
			l.target = l.tos[i].at()
		}
		g.targetsKnown = g.targetsKnown || slices.ContainsFunc(l.tos, func(id *identifier) bool { return id.node != nil })
		if i := slices.IndexFunc(l.froms, (*identifier).inGraph); i >= 0 {
			l.origin = l.froms[i].at()
			l.froms[i].outgoing = append(l.froms[i].outgoing, l)
		}
		if l.id != nil && l.id.exit != nil {
			l.exit = l.id.exit
			l.origin = cmp.Or(l.origin, l.exit.node)
			l.id.outgoing = append(l.id.outgoing, l)
		}
	}
	// If all links come from entry points, nothing contradicts the assumption.
	isUnknown := func(l *link) bool { return l.origin == nil }
	isFromNode := func(l *link) bool { return l.origin != nil && !l.origin.isEntrypoint }
	g.sourcesKnown = slices.ContainsFunc(g.links, isFromNode) || !slices.ContainsFunc(g.links, isUnknown)
}

// findWays finds what sessions reach. What the definition names outside the
// graph is reached, too.
func (g *graph) findWays(outside *node) {
	starts := g.entrypoints
	if len(starts) == 0 {
		starts = slices.DeleteFunc(slices.Clone(g.nodes), func(n *node) bool { return !n.start })
	}
	seen := newVisited()
	reached := seen.follow(starts...)
	g.entered = slices.ContainsFunc(reached, func(n *node) bool { return !n.isEntrypoint })
	reached = append(reached, seen.follow(outside)...)
	if slices.ContainsFunc(reached, func(n *node) bool { return n.jumpsAnywhere }) {
		reached = append(reached, g.nodes...)
	}
	for _, n := range reached {
		n.reached = true
	}
}

// leads reports whether a session continues behind a node or an entry point, or would if
// what is missing were in the graph.
func (n *node) leads() bool {
	return n.jumps != nil || n.missing != nil || n.lostJumps != nil || n.jumpsAnywhere ||
		slices.ContainsFunc(n.sources, func(id *identifier) bool { return id.outgoing != nil })
}

// visited has the nodes that a search has found, and the sources whose links it has
// followed. Nodes can share sources.
type visited struct {
	nodes   map[*node]bool
	sources map[*identifier]bool
}

func newVisited() visited { return visited{map[*node]bool{}, map[*identifier]bool{}} }

// follow returns nodes and those that they lead to, but none that was found before, or
// that a session reaches.
func (v visited) follow(from ...*node) []*node {
	var found []*node
	visit := func(n *node) {
		if n != nil && !n.reached && !v.nodes[n] {
			v.nodes[n] = true
			found = append(found, n)
		}
	}
	for _, n := range from {
		visit(n)
	}
	for i := 0; i < len(found); i++ {
		for _, id := range found[i].sources {
			if len(id.outgoing) > 0 && !v.sources[id] {
				v.sources[id] = true
				for _, l := range id.outgoing {
					visit(l.target)
				}
			}
		}
		for _, n := range found[i].jumps {
			visit(n)
		}
	}
	return found
}

// withoutID returns an entry point without the links that start at its ID.
func (n *node) withoutID() *node {
	inside := *n
	inside.sources = slices.DeleteFunc(slices.Clone(n.sources), func(id *identifier) bool { return id == n.id })
	return &inside
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
	lost := slices.DeleteFunc(slices.Clone(g.nodes), func(n *node) bool { return !g.unreachable(n) })
	// This removes the nodes that an earlier one leads to and then, in the opposite order,
	// those that a later one leads to.
	for range 2 {
		seen := newVisited()
		lost = slices.DeleteFunc(lost, func(n *node) bool { return len(seen.follow(n)) == 0 })
		slices.Reverse(lost)
	}
	var parts [][]*node
	seen := newVisited()
	for _, n := range lost {
		parts = append(parts, seen.follow(n))
	}
	return parts
}

// empty reports whether a node has no items, although the same list has some in another
// node, and leads nowhere.
func (g *graph) empty(n *node) bool {
	return !n.hasItems && !n.leads() && slices.ContainsFunc(n.emptyKeys, func(key string) bool { return g.itemKeys[key] })
}

// missingTarget returns the ID of the node that a link names but the graph does
// not contain. A link that names no node may end the conversation.
func (g *graph) missingTarget(l *link) string {
	if !g.targetsKnown || l.target != nil {
		return ""
	}
	return l.groupID
}

// missingItem returns the ID of the item that a link names but its target does not
// contain. If no item of the target has an ID, or no link names an item of a node, the
// structure is another one.
func (g *graph) missingItem(l *link) string {
	namesItem := l.item != nil && l.item.node == nil
	namesTarget := l.target != nil && textOf(l.target.id) == l.groupID
	if len(g.contained) > 0 && namesItem && namesTarget && l.target.hasIDs && !g.contained[nodeItem{l.target, l.item}] {
		return l.item.text
	}
	return ""
}

// missingSource returns the ID of the source that a link names but the graph does
// not contain. A link that an element names does not require a source.
func (g *graph) missingSource(l *link) string {
	if !g.targetsKnown || !g.sourcesKnown || l.origin != nil {
		return ""
	}
	return l.blockID
}

// label returns the text of the item that a link comes from, the last one if
// there are several. A block has no text of its own.
func (g *graph) label(l *link) string {
	for _, id := range slices.Backward(l.froms) {
		if id.text == l.blockID {
			continue
		}
		if title := g.titleIn(id.item); title != "" {
			return title
		}
	}
	if l.exit != nil && l.exit.itemID != l.blockID {
		return g.titleIn(l.exit.value)
	}
	return ""
}
