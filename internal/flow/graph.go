// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

func newGraph(d definition.Definition) *graph {
	g := &graph{
		definition: d, identifiers: map[string]*identifier{},
		undefined: map[string][]*node{}, variableKeys: map[string]map[string][]*node{},
		agentLinks: map[AgentLink]string{}, found: []Finding{},
	}
	ref := d.Member("ref")
	g.agent = []string{"current", ref.Member("key").Text(), ref.Member("publicKey").Text()}
	parts := d.Member("graph")
	for _, v := range parts.Member("nodes").Members() {
		g.nodes = g.add(g.nodes, &node{title: line(titleOf(v)), values: []value{v}})
	}
	for _, v := range parts.Member("links").Members() {
		g.addLink(v)
	}
	for _, v := range parts.Member("entrypoints").Members() {
		title := line(v.Member("type").Text())
		g.entrypoints = g.add(g.entrypoints, &node{title: title, values: []value{v}, isEntrypoint: true})
	}
	for _, v := range parts.Member("memory").Members() {
		g.addVariable(v)
	}
	outside := g.findUses()
	g.findEnds()
	g.findWays(outside)
	return g
}

// add adds a node or an entry point to a list, or its value to the earlier one with its ID.
func (g *graph) add(list []*node, n *node) []*node {
	n.id = g.idIn(n.values[0], "id")
	first := &n.id.node
	if n.isEntrypoint {
		first = &n.id.entrypoint
	}
	if *first != nil {
		(*first).values = append((*first).values, n.values...)
		return list
	}
	*first = n
	return append(list, n)
}

func (g *graph) addLink(v value) {
	l := &link{
		id:     g.idIn(v, "id"),
		source: g.idIn(v, "from", "itemId"),
		block:  g.idIn(v, "from", "blockId"),
		group:  g.idIn(v, "to", "groupId"),
		item:   g.idIn(v, "to", "blockId"),
	}
	if l.source.text == "" {
		l.source = l.block
	}
	l.target = l.group.node
	g.targetsKnown = g.targetsKnown || l.target != nil
	l.id.links = append(l.id.links, l)
	l.item.isTarget = true
	g.links = append(g.links, l)
}

func (g *graph) addVariable(v value) {
	added := variable{g.idIn(v, "id"), g.idIn(v, "name")}
	added.id.isVariable = true
	g.variables = append(g.variables, added)
}

// identifier returns the identifier with a text and adds it if necessary. An empty text is
// always another one.
func (g *graph) identifier(text string) *identifier {
	id := g.identifiers[text]
	if id == nil {
		id = &identifier{text: text}
		if text != "" {
			g.identifiers[text] = id
		}
	}
	return id
}

// idIn returns the identifier that is at a path of keys in a value.
func (g *graph) idIn(v value, path ...string) *identifier {
	return g.identifier(v.Member(path...).Text())
}

// findEnds finds where sessions leave by links, and where these start.
func (g *graph) findEnds() {
	areItems := slices.ContainsFunc(g.links, func(l *link) bool { return l.source != l.block && l.source.starts() != nil })
	// named reports whether items name links that start at blocks, and those that start at items.
	named := map[bool]bool{}
	for _, l := range g.links {
		if !areItems {
			l.source = l.block
		}
		l.findExit()
		if l.isFromItem() && l.exit != nil && l.exit.itemID == l.source.text {
			named[l.source == l.block] = true
		}
	}
	g.findStarts(named)
}

// findStarts finds where links start that no item names.
func (g *graph) findStarts(named map[bool]bool) {
	isFromNode, isUnknown := false, false
	for _, l := range g.links {
		isNamed := named[l.source == l.block] || g.itemsNameLinks && l.exits != nil
		l.unfollowed = l.exit == nil && l.isFromItem() && isNamed
		start := l.source.starts()
		l.origin = cmp.Or(l.origin, start)
		// It is no way if it is left elsewhere.
		if !l.unfollowed && l.origin == start {
			l.source.outgoing = append(l.source.outgoing, l)
		}
		isFromNode = isFromNode || l.origin != nil && !l.origin.isEntrypoint
		isUnknown = isUnknown || l.origin == nil
	}
	// If all links come from entry points, nothing contradicts the assumption.
	g.sourcesKnown = isFromNode || !isUnknown
}

// findExit finds where sessions leave by the link. Only an item can name a link from an item.
func (l *link) findExit() {
	for _, e := range l.exits {
		if l.exit == nil && (e.isElement() || !l.isFromItem()) {
			l.exit, l.origin = &e, e.node
			l.id.outgoing = append(l.id.outgoing, l)
		}
	}
}

// isFromItem reports whether a link starts at an item.
func (l *link) isFromItem() bool { return l.source.holders != nil }

// starts returns where a link with this source starts: at the node with this ID, at the first
// node with such an item, or at the entry point.
func (id *identifier) starts() *node {
	if id.node == nil && id.holders != nil {
		return id.holders[0]
	}
	return cmp.Or(id.node, id.entrypoint)
}

// isElement reports whether an entry point or an item continues at a link, and neither a
// node nor something without an ID.
func (e *exit) isElement() bool {
	id := e.value.Member("id").Text()
	return e.node.isEntrypoint || id != "" && id != e.node.id.text
}

// findWays finds what sessions reach. What the definition names outside the
// nodes is reached, too.
func (g *graph) findWays(outside *node) {
	starts := g.entrypoints
	if len(starts) == 0 {
		starts = slices.DeleteFunc(slices.Clone(g.nodes), func(n *node) bool { return !n.start })
	}
	seen := visited{}
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
	return len(n.links())+len(n.jumps)+len(n.missingLinks)+len(n.missingJumps) > 0
}

// links returns the links that lead away.
func (w *ways) links() []*link {
	var links []*link
	for _, id := range w.sources {
		links = append(links, id.outgoing...)
	}
	return links
}

// visited has the nodes that a search has found.
type visited map[*node]bool

// follow returns nodes and those that they lead to, but none that was found before, or
// that a session reaches.
func (v visited) follow(from ...*node) []*node {
	var found []*node
	visit := func(n *node) {
		if n != nil && !n.reached && !v[n] {
			v[n] = true
			found = append(found, n)
		}
	}
	for _, n := range from {
		visit(n)
	}
	for i := 0; i < len(found); i++ {
		for _, l := range found[i].links() {
			visit(l.target)
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
	return g.targetsKnown && g.sourcesKnown && g.entered && !n.reached && !n.isEntrypoint && n.id.text != "" &&
		(n.behind == nil || n.behind.node.reached)
}

// lostParts returns the unreachable items, and the unreachable nodes that no other
// unreachable node leads to, each followed by what it leads to. Of nodes that lead to
// each other, the first one counts.
func (g *graph) lostParts() [][]*node {
	var lost []*node
	for _, n := range g.nodes {
		lost = append(lost, n.hidden...)
	}
	lost = slices.DeleteFunc(append(lost, g.nodes...), func(n *node) bool { return !g.unreachable(n) })
	// This removes the nodes that an earlier one leads to and then, in the opposite order,
	// those that a later one leads to.
	for range 2 {
		seen := visited{}
		lost = slices.DeleteFunc(lost, func(n *node) bool { return len(seen.follow(n)) == 0 })
		slices.Reverse(lost)
	}
	var parts [][]*node
	seen := visited{}
	for _, n := range lost {
		parts = append(parts, seen.follow(n))
	}
	return parts
}

// isEmpty reports whether a node has no items, but a list for them, and leads nowhere.
func (n *node) isEmpty() bool {
	blocks := n.values[0].Member("blocks")
	return !n.hasItems && !n.leads() && blocks.Kind() == '[' && blocks.Len() == 0
}

// lacks reports whether a node does not contain the item that a link or a jump names. If no
// item of the node has an ID, the structure is another one.
func (n *node) lacks(item *identifier) bool {
	return item.text != "" && n.hasItems && !slices.Contains(item.holders, n)
}

// isOrphaned reports whether the source that a link names is not in the graph. A link that an
// element names does not require a source.
func (g *graph) isOrphaned(l *link) bool {
	return g.sourcesKnown && l.origin == nil && l.source.text != ""
}

// label returns the text of the item that a link comes from. A block has no text of its own.
func (l *link) label() string {
	title := ""
	if l.exit != nil && l.exit.itemID != l.block.text {
		title = titleIn(l.exit.value)
	}
	if title == "" && l.source != l.block {
		title = titleIn(l.source.item)
	}
	return title
}
