// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

// analysis is a graph interpreted with the assumptions.
type analysis struct {
	*Graph
	// sources and targets are the places at the ends of each link, or none.
	sources, targets []int
	// out are the links that come from each place.
	out [][]int
	// starts are the ways from each entry point.
	starts []start
	// entering are the links that come from entry points.
	entering []bool
	// targetsKnown and sourcesKnown report whether the assumptions about both ends
	// of a link hold at least once, and entered whether an entry point leads to a
	// node.
	targetsKnown, sourcesKnown, entered bool
	// reached are the nodes that can be reached, if sources are known.
	reached []bool
	// first is the node that messages name for a place.
	first map[int]int
}

// start is where an entry point leads to.
type start struct {
	// own is the place whose links come from the entry point, or none.
	own int
	// links are the IDs of links that the entry point names.
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
		first:    map[int]int{},
	}
	for i, l := range g.links {
		a.sources[i], a.targets[i] = g.known(l.from), g.known(l.to)
		if a.sources[i] == none && l.place != none && len(g.places[l.place].namedBy) > 0 {
			a.sources[i] = l.place // A node names the link instead.
		}
		if at := a.sources[i]; at != none {
			a.out[at] = append(a.out[at], i)
		}
		for _, at := range l.to {
			a.targetsKnown = a.targetsKnown || len(g.places[at].nodes) > 0
		}
	}
	a.enter()
	// If all links come from entry points, nothing contradicts the assumption.
	a.sourcesKnown = true
	for i := range g.links {
		if !a.entering[i] {
			a.sourcesKnown = a.sources[i] != none
			if a.sourcesKnown {
				break
			}
		}
	}
	a.reach()
	return a
}

// known returns the first of some IDs that a node or an entry point has, or
// that belongs to a node.
func (g *Graph) known(ids []int) int {
	for _, at := range ids {
		if g.inNode(at) || len(g.places[at].entrypoints) > 0 {
			return at
		}
	}
	return none
}

// enter finds the places that the entry points lead to. It visits places that
// several of them share once.
func (a *analysis) enter() {
	follow := func(links []int) {
		for _, l := range links {
			a.entering[l] = true
			a.entered = a.entered || a.targets[l] != none && a.inNode(a.targets[l])
		}
	}
	named := make([]bool, len(a.places))
	for i, e := range a.entrypoints {
		s := &a.starts[i]
		s.own = e.place
		if e.place != none && a.places[e.place].entrypoints[0] == i {
			follow(a.out[e.place])
		}
		for _, at := range e.names {
			switch {
			case len(a.places[at].links) > 0:
				s.links = append(s.links, at)
				if !named[at] {
					named[at] = true
					follow(a.places[at].links)
				}
			case a.inNode(at):
				s.places = append(s.places, at)
				a.entered = true
			}
		}
	}
}

// leads reports whether an entry point leads anywhere.
func (a *analysis) leads(s start) bool {
	return s.own != none && len(a.out[s.own]) > 0 || len(s.links) > 0 || len(s.places) > 0
}

// unreachable reports whether no way leads from an entry point to the nodes
// with an ID. Nothing is unreachable if sources are not known, or if no entry
// point leads anywhere, because one cause must not result in a finding for
// every node.
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

// at returns the nodes of a place: those with the ID, or else those that it
// belongs to.
func (g *Graph) at(place int) []int {
	if p := g.places[place]; len(p.nodes) == 0 {
		return p.holders
	}
	return g.places[place].nodes
}

// missingTarget returns the node that a link names but the graph does not
// contain, or none. A link that names no node may end the conversation.
func (a *analysis) missingTarget(link int) int {
	if !a.targetsKnown || a.targets[link] != none {
		return none
	}
	return a.links[link].target
}

// missingSource returns the source that a link names but the graph does not
// contain, or none. A link that an entry point names does not require a source.
func (a *analysis) missingSource(link int) int {
	if !a.targetsKnown || !a.sourcesKnown || a.sources[link] != none || a.entering[link] {
		return none
	}
	return a.links[link].source
}

// reach follows every way from the entry points, from what the definition
// names outside the graph, and from nodes that start something themselves.
func (a *analysis) reach() {
	seen := make([]bool, len(a.places))
	var queue []int
	visit := func(at int) {
		if at == none || seen[at] {
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
	for l, entering := range a.entering {
		if entering {
			visit(a.targets[l])
		}
	}
	for _, s := range a.starts {
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
		if left[at] {
			return
		}
		left[at] = true
		for _, l := range a.out[at] {
			visit(a.targets[l])
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
