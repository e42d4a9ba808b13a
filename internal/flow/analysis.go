// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

// analyze interprets the graph with the assumptions.
func (g *Graph) analyze() {
	for i := range g.links {
		l := &g.links[i]
		l.source, l.target = g.known(l.froms), g.known(l.tos)
		if l.source == none && g.places[l.id].namedBy != 0 {
			l.source = l.id // A node names the link instead.
		}
		if l.source != none {
			g.add(&g.places[l.source].out, i)
		}
		for at := range g.all(l.tos) {
			g.targetsKnown = g.targetsKnown || g.places[at].nodes != 0
		}
	}
	g.enter()
	// If all links come from entry points, nothing contradicts the assumption.
	g.sourcesKnown = true
	for i := range g.links {
		if l := &g.links[i]; !l.entering {
			g.sourcesKnown = l.source != none
			if g.sourcesKnown {
				break
			}
		}
	}
	g.reach()
}

// known returns the first of some IDs that a node or an entry point has, or
// that belongs to a node.
func (g *Graph) known(ids list) int {
	for at := range g.all(ids) {
		if g.inNode(at) || g.places[at].entrypoints != 0 {
			return at
		}
	}
	return none
}

// enter finds the links that come from entry points.
func (g *Graph) enter() {
	follow := func(links list) {
		for i := range g.all(links) {
			l := &g.links[i]
			l.entering = true
			g.entered = g.entered || g.inNode(l.target)
		}
	}
	for i := range g.entrypoints {
		e := &g.entrypoints[i]
		g.entered = g.entered || e.inside != 0
		if p := &g.places[e.id]; !p.left {
			p.left = true
			follow(p.out)
		}
		for at := range g.all(e.links) {
			if p := &g.places[at]; !p.entered {
				p.entered = true
				follow(p.links)
			}
		}
	}
}

// leads reports whether an entry point leads anywhere.
func (g *Graph) leads(e entrypoint) bool {
	return g.places[e.id].out != 0 || e.links != 0 || e.inside != 0
}

// unreachable reports whether no way leads from an entry point to the nodes
// with an ID. Nothing is unreachable if sources are not known, or if no entry
// point leads anywhere, because one cause must not result in a finding for
// every node.
func (g *Graph) unreachable(id int) bool {
	if !g.targetsKnown || !g.sourcesKnown || !g.entered {
		return false
	}
	for n := range g.all(g.places[id].nodes) {
		if g.nodes[n].reached {
			return false
		}
	}
	return true
}

// at returns the nodes of a place: those with the ID, or else those that it
// belongs to.
func (g *Graph) at(place int) list {
	if p := &g.places[place]; p.nodes == 0 {
		return p.holders
	}
	return g.places[place].nodes
}

// missingTarget returns the node that a link names but the graph does not
// contain, or none. A link that names no node may end the conversation.
func (g *Graph) missingTarget(l *link) int {
	if !g.targetsKnown || l.target != none {
		return none
	}
	return l.groupID
}

// missingSource returns the source that a link names but the graph does not
// contain, or none. A link that an entry point names does not require a source.
func (g *Graph) missingSource(l *link) int {
	if !g.targetsKnown || !g.sourcesKnown || l.source != none || l.entering {
		return none
	}
	return l.blockID
}

// reach follows every way from the entry points, from what the definition
// names outside the graph, and from nodes that start something themselves.
func (g *Graph) reach() {
	queue := make([]int, 0, len(g.nodes))
	reach := func(n int) {
		if !g.nodes[n].reached {
			g.nodes[n].reached = true
			queue = append(queue, n)
		}
	}
	visit := func(at int) {
		if p := &g.places[at]; !p.visited {
			p.visited = true
			for n := range g.all(g.at(at)) {
				reach(n)
			}
		}
	}
	for i := range g.links {
		if l := &g.links[i]; l.entering {
			visit(l.target)
		}
	}
	for _, e := range g.entrypoints {
		for at := range g.all(e.inside) {
			visit(at)
		}
	}
	for _, at := range g.outside {
		visit(at)
	}
	for i := range g.nodes {
		if g.nodes[i].start {
			reach(i)
		}
	}
	leave := func(at int) {
		if p := &g.places[at]; !p.left {
			p.left = true
			for l := range g.all(p.out) {
				visit(g.links[l].target)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		n := &g.nodes[queue[0]]
		leave(n.id)
		for at := range g.all(n.inside) {
			leave(at)
		}
		for at := range g.all(n.jumps) {
			visit(at)
		}
	}
}
