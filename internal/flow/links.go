// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"slices"
)

// findEnds finds the targets of links, and their most precise sources.
func (g *graph) findEnds() {
	// If no itemId is the ID of something in the graph, these are something else.
	areItems := slices.ContainsFunc(g.links, func(l *link) bool { return l.fromItem != l.fromBlock && g.start(l.fromItem) != nil })
	for _, l := range g.links {
		l.target = g.nodesByID[l.toGroup]
		g.targetsKnown = g.targetsKnown || l.target != nil
		l.source = l.fromBlock
		if areItems {
			l.source = cmp.Or(l.fromItem, l.fromBlock)
		}
		l.isFromItem = g.items[l.source] != nil
	}
}

// findStarts finds where links start, and which of them nobody follows.
func (g *graph) findStarts() {
	// named reports whether items name links that start at blocks, and those that start at items.
	named := map[bool]bool{}
	for _, l := range g.links {
		if l.isFromItem && l.exit != nil && l.exit.itemID == l.source {
			named[l.source == l.fromBlock] = true
		}
	}
	isFromNode, isUnknown := false, false
	for _, l := range g.links {
		l.origin = g.start(l.source)
		if l.exit != nil {
			l.origin = l.exit.node
		}
		l.unfollowed = l.exit == nil && l.isFromItem && (named[l.source == l.fromBlock] || g.itemsNameLinks && l.isNamed)
		isFromNode = isFromNode || l.origin != nil && !l.origin.isEntrypoint
		isUnknown = isUnknown || l.origin == nil
	}
	// If all links come from entry points, nothing contradicts the assumption.
	g.sourcesKnown = isFromNode || !isUnknown
}

// findWays finds the links that lead away from sections.
func (g *graph) findWays() {
	outgoing := map[string][]*link{}
	for _, l := range g.links {
		if l.exit != nil {
			outgoing[l.id] = append(outgoing[l.id], l)
		}
		// It is no way if it is left elsewhere.
		if !l.unfollowed && l.origin == g.start(l.source) {
			outgoing[l.source] = append(outgoing[l.source], l)
		}
	}
	for _, n := range append(g.elements, g.outside) {
		for _, s := range n.sections {
			for _, source := range s.sources {
				s.links = append(s.links, outgoing[source]...)
			}
		}
	}
}

// start returns where a link with this source starts: at the first node with such an item, at
// the node with this ID, or at the entry point.
func (g *graph) start(source string) *node {
	if items := g.items[source]; items != nil {
		return items[0].node
	}
	return cmp.Or(g.nodesByID[source], g.entrypointsByID[source])
}

// isOrphaned reports whether the source that a link names is not in the graph. A link that an
// element names does not require a source.
func (g *graph) isOrphaned(l *link) bool {
	return g.sourcesKnown && l.origin == nil && l.source != ""
}

// lacks reports whether a node does not contain the item that a link or a jump names. If no
// item of the node has an ID, the structure is another one.
func (g *graph) lacks(n *node, item string) bool {
	return item != "" && n.hasItems && !slices.ContainsFunc(g.items[item], func(p place) bool { return p.node == n })
}
