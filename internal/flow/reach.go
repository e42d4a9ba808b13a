// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import "slices"

// visited has the sections that a search has found.
type visited map[*section]bool

// follow returns a section and those to which it leads, but none that was found before, or that
// sessions reach.
func (v visited) follow(from *section) []*section {
	var found []*section
	visit := func(s *section) {
		if !s.reached && !v[s] {
			v[s] = true
			found = append(found, s)
		}
	}
	visit(from)
	for i := 0; i < len(found); i++ {
		for _, l := range found[i].links {
			if l.target != nil {
				visit(l.target.sections[0])
			}
		}
		for _, n := range found[i].jumps {
			visit(n.sections[0])
		}
	}
	return found
}

// findReached finds what sessions reach. What the definition names outside the
// nodes is reached, too.
func (g *graph) findReached() {
	reached := visited{}
	for _, n := range g.elements {
		if n.isEntrypoint || n.isStart && len(g.entrypoints) == 0 {
			reached.follow(n.sections[0])
		}
	}
	for _, n := range g.nodes {
		g.entered = g.entered || reached[n.sections[0]]
	}
	reached.follow(g.outside.sections[0])
	jumpsAnywhere := false
	for s := range reached {
		s.reached = true
		jumpsAnywhere = jumpsAnywhere || s.jumpsAnywhere
	}
	for _, n := range g.nodes {
		n.sections[0].reached = n.sections[0].reached || jumpsAnywhere
	}
}

// isLost reports whether no session reaches a section. Nothing is lost
// if sources are not known, or if no entry point leads to a node, because one
// cause must not result in a finding for every node. What is behind a choice is lost only if
// sessions reach its node.
func (g *graph) isLost(s *section) bool {
	return g.targetsKnown && g.sourcesKnown && g.entered && !s.reached && s.ids[0] != "" &&
		(s.choice == nil || s.node.sections[0].reached)
}

// lostParts returns the lost sections that no other lost section leads to, each followed by
// what it leads to. Of nodes that lead to each other, the first one counts.
func (g *graph) lostParts() [][]*section {
	var lost []*section
	for _, n := range g.nodes {
		for _, s := range n.sections {
			if g.isLost(s) {
				lost = append(lost, s)
			}
		}
	}
	// This removes what an earlier one leads to and then, in the opposite order, what a later
	// one leads to.
	for range 2 {
		seen := visited{}
		lost = slices.DeleteFunc(lost, func(s *section) bool { return len(seen.follow(s)) == 0 })
		slices.Reverse(lost)
	}
	var parts [][]*section
	seen := visited{}
	for _, s := range lost {
		parts = append(parts, seen.follow(s))
	}
	return parts
}
