// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import "slices"

// analyze interprets the graph with the assumptions.
func (g *Graph) analyze() {
	for _, l := range g.links {
		l.source, l.target = known(l.froms), known(l.tos)
		if l.source == nil && l.id != nil && l.id.namedBy != nil {
			l.source = l.id // A node names the link instead.
		}
		if l.source != nil {
			l.source.out = append(l.source.out, l)
		}
		for _, id := range l.tos {
			g.targetsKnown = g.targetsKnown || id.nodes != nil
		}
	}
	g.enter()
	// If all links come from entry points, nothing contradicts the assumption.
	g.sourcesKnown = true
	for _, l := range g.links {
		if !l.entering {
			g.sourcesKnown = l.source != nil
			if g.sourcesKnown {
				break
			}
		}
	}
	g.reach()
}

// known returns the first of some IDs that a node or an entry point has, or
// that belongs to a node.
func known(ids []*identifier) *identifier {
	for _, id := range ids {
		if id.inNode() || id.entrypoints != nil {
			return id
		}
	}
	return nil
}

// enter finds the links that come from entry points.
func (g *Graph) enter() {
	follow := func(links []*link) {
		for _, l := range links {
			l.entering = true
			g.entered = g.entered || l.target.inNode()
		}
	}
	for _, e := range g.entrypoints {
		g.entered = g.entered || e.inside != nil
		if e.id != nil && !e.id.left {
			e.id.left = true
			follow(e.id.out)
		}
		for _, id := range e.links {
			if !id.entered {
				id.entered = true
				follow(id.links)
			}
		}
	}
}

// leads reports whether the entry point leads anywhere.
func (e *entrypoint) leads() bool {
	return e.id != nil && e.id.out != nil || e.links != nil || e.inside != nil
}

// unreachable reports whether no way leads from an entry point to the nodes
// with an ID. Nothing is unreachable if sources are not known, or if no entry
// point leads anywhere, because one cause must not result in a finding for
// every node.
func (g *Graph) unreachable(id *identifier) bool {
	if !g.targetsKnown || !g.sourcesKnown || !g.entered {
		return false
	}
	return !slices.ContainsFunc(id.nodes, func(n *node) bool { return n.reached })
}

// at returns the nodes with the ID, or else those that it belongs to.
func (id *identifier) at() []*node {
	if id.nodes != nil {
		return id.nodes
	}
	return id.holders
}

// missingTarget returns the node that a link names but the graph does not
// contain, or nil. A link that names no node may end the conversation.
func (g *Graph) missingTarget(l *link) *identifier {
	if !g.targetsKnown || l.target != nil {
		return nil
	}
	return l.groupID
}

// missingSource returns the source that a link names but the graph does not
// contain, or nil. A link that an entry point names does not require a source.
func (g *Graph) missingSource(l *link) *identifier {
	if !g.targetsKnown || !g.sourcesKnown || l.source != nil || l.entering {
		return nil
	}
	return l.blockID
}

// reach follows every way from the entry points, from what the definition
// names outside the graph, and from nodes that start something themselves.
func (g *Graph) reach() {
	var queue []*node
	reach := func(n *node) {
		if !n.reached {
			n.reached = true
			queue = append(queue, n)
		}
	}
	visit := func(id *identifier) {
		if id != nil && !id.visited {
			id.visited = true
			for _, n := range id.at() {
				reach(n)
			}
		}
	}
	leave := func(id *identifier) {
		if id != nil && !id.left {
			id.left = true
			for _, l := range id.out {
				visit(l.target)
			}
		}
	}
	for _, l := range g.links {
		if l.entering {
			visit(l.target)
		}
	}
	for _, e := range g.entrypoints {
		for _, id := range e.inside {
			visit(id)
		}
	}
	for _, id := range g.outside {
		visit(id)
	}
	for _, n := range g.nodes {
		if n.start {
			reach(n)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		leave(n.id)
		for _, id := range n.inside {
			leave(id)
		}
		for _, id := range n.jumps {
			visit(id)
		}
	}
}
