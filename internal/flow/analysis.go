// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

// analysis is what the assumptions make of a graph.
type analysis struct {
	*Graph
	// sources and targets are the places at the ends of each link, or none.
	sources, targets []int
	// out are the links that come from each place.
	out [][]int
	// starts are the ways out of each entry point.
	starts []start
	// entering are the links that come from entry points.
	entering []bool
	// targetsKnown and sourcesKnown say that the assumptions about both ends
	// of a link hold at least once, and entered that an entry point leads to
	// a node.
	targetsKnown, sourcesKnown, entered bool
	// reached are the nodes that can be reached, if sources are known.
	reached []bool
}

// start is where an entry point leads to.
type start struct {
	links []int
	// places are nodes, or what belongs to one, that the entry point names.
	places []int
}

func (g *Graph) analyze() *analysis {
	a := &analysis{
		Graph:   g,
		sources: make([]int, len(g.links)), targets: make([]int, len(g.links)),
		out:      make([][]int, len(g.places)),
		starts:   make([]start, len(g.entrypoints)),
		entering: make([]bool, len(g.links)),
		reached:  make([]bool, len(g.nodes)),
	}
	for i, l := range g.links {
		a.sources[i], a.targets[i] = g.source(l), g.target(l)
		if at := a.sources[i]; at != none {
			a.out[at] = append(a.out[at], i)
		}
		for _, at := range l.to {
			a.targetsKnown = a.targetsKnown || len(g.places[at].nodes) > 0
		}
	}
	for i := range g.entrypoints {
		a.starts[i] = a.start(i)
		for _, l := range a.starts[i].links {
			a.entering[l] = true
			a.entered = a.entered || a.targets[l] != none && g.inNode(a.targets[l])
		}
		a.entered = a.entered || len(a.starts[i].places) > 0
	}
	// A graph whose links all come from entry points shows nothing against the
	// assumption.
	others := 0
	for i := range g.links {
		if !a.entering[i] {
			others++
			a.sourcesKnown = a.sourcesKnown || a.sources[i] != none
		}
	}
	a.sourcesKnown = a.sourcesKnown || others == 0
	a.reach()
	return a
}

// unreachable reports whether no way leads from an entry point to the nodes with
// an ID. Nothing is unreachable if sources are not known, or if no entry point
// leads anywhere: one cause must not accuse every node.
func (a *analysis) unreachable(id int) bool {
	if !a.targetsKnown || !a.sourcesKnown || !a.entered {
		return false
	}
	for _, n := range a.places[id].nodes {
		if a.reached[n] {
			return false
		}
	}
	return true
}

// inNode reports whether a place is a node's ID or belongs to a node.
func (g *Graph) inNode(at int) bool {
	return len(g.places[at].nodes) > 0 || len(g.places[at].holders) > 0
}

// at are the nodes that a place stands for: those with the ID, or else those
// that it belongs to.
func (g *Graph) at(place int) []int {
	if p := g.places[place]; len(p.nodes) == 0 {
		return p.holders
	}
	return g.places[place].nodes
}

// source is where a link comes from. A link without a known source may still
// be named by a node.
func (g *Graph) source(l link) int {
	for _, at := range l.from {
		if g.inNode(at) || len(g.places[at].entrypoints) > 0 {
			return at
		}
	}
	if l.place != none && len(g.places[l.place].namedBy) > 0 {
		return l.place
	}
	return none
}

// target is where a link leads to: the node that it names, or else what any of
// its IDs belongs to.
func (g *Graph) target(l link) int {
	for _, at := range l.to {
		if g.inNode(at) || len(g.places[at].entrypoints) > 0 {
			return at
		}
	}
	return none
}

// missingTarget is the node that a link names and the graph does not have, or
// none. A link that names no node may well end a conversation.
func (a *analysis) missingTarget(link int) int {
	if !a.targetsKnown || a.targets[link] != none {
		return none
	}
	return a.links[link].target
}

// missingSource is the source that a link names and the graph does not have,
// or none. A link that an entry point names needs no source.
func (a *analysis) missingSource(link int) int {
	l := a.links[link]
	if !a.targetsKnown || !a.sourcesKnown || a.sources[link] != none || a.entering[link] || len(l.from) == 0 {
		return none
	}
	return l.from[0]
}

func (a *analysis) start(i int) start {
	e := a.entrypoints[i]
	var s start
	if e.place != none {
		s.links = append(s.links, a.out[e.place]...)
	}
	for _, at := range e.names {
		switch {
		case len(a.places[at].links) > 0:
			s.links = append(s.links, a.places[at].links...)
		case a.inNode(at):
			s.places = append(s.places, at)
		}
	}
	return s
}

// reach follows every way from the entry points, from what the definition
// names outside the graph, and from nodes that start something themselves.
func (a *analysis) reach() {
	seen := make([]bool, len(a.places))
	var queue []int
	var visit func(at int)
	follow := func(links []int) {
		for _, l := range links {
			if a.targets[l] != none {
				visit(a.targets[l])
			}
		}
	}
	visit = func(at int) {
		if seen[at] {
			return
		}
		seen[at] = true
		for _, n := range a.at(at) {
			if !a.reached[n] {
				a.reached[n] = true
				queue = append(queue, n)
			}
		}
	}
	for _, s := range a.starts {
		follow(s.links)
		for _, at := range s.places {
			visit(at)
		}
	}
	for _, at := range a.outside {
		visit(at)
	}
	for i, n := range a.nodes {
		if n.start && !a.reached[i] {
			a.reached[i] = true
			queue = append(queue, i)
		}
	}
	left := make([]bool, len(a.places))
	leave := func(at int) {
		if !left[at] {
			left[at] = true
			follow(a.out[at])
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		n := a.nodes[queue[0]]
		if n.place != none {
			leave(n.place)
		}
		for _, at := range n.inside {
			leave(at)
		}
		for _, at := range n.jumps {
			visit(at)
		}
	}
}
