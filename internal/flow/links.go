// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"slices"
)

// findExits finds where sessions leave by links.
func (g *graph) findExits() {
	areItems := slices.ContainsFunc(g.links, func(l *link) bool { return l.source != l.block && l.source.start() != nil })
	if !areItems {
		for _, l := range g.links {
			l.source = l.block
		}
	}
	for _, n := range g.elements {
		for _, e := range n.exits {
			isElement := e.isElement()
			g.entrypointsNameLinks = g.entrypointsNameLinks || n.isEntrypoint
			g.itemsNameLinks = g.itemsNameLinks || isElement && !n.isEntrypoint
			for _, l := range g.identifier(e.id).links {
				l.isNamed = true
				// Only an item can name a link from an item.
				if l.exit == nil && (isElement || !l.isFromItem()) {
					l.exit, l.origin = &e, n
				}
			}
		}
	}
}

// findStarts finds where links start, and which of them lead away from sections.
func (g *graph) findStarts() {
	// named reports whether items name links that start at blocks, and those that start at items.
	named := map[bool]bool{}
	for _, l := range g.links {
		if l.isFromItem() && l.exit != nil && l.exit.itemID == l.source.text {
			named[l.source == l.block] = true
		}
	}
	isFromNode, isUnknown := false, false
	outgoing := map[string][]*link{}
	for _, l := range g.links {
		start := l.source.start()
		l.origin = cmp.Or(l.origin, start)
		l.unfollowed = l.exit == nil && l.isFromItem() && (named[l.source == l.block] || g.itemsNameLinks && l.isNamed)
		if l.exit != nil {
			outgoing[l.id.text] = append(outgoing[l.id.text], l)
		}
		// It is no way if it is left elsewhere.
		if !l.unfollowed && l.origin == start {
			outgoing[l.source.text] = append(outgoing[l.source.text], l)
		}
		isFromNode = isFromNode || l.origin != nil && !l.origin.isEntrypoint
		isUnknown = isUnknown || l.origin == nil
	}
	// If all links come from entry points, nothing contradicts the assumption.
	g.sourcesKnown = isFromNode || !isUnknown
	for _, s := range g.sections {
		for _, source := range s.sources {
			s.links = append(s.links, outgoing[source]...)
		}
	}
}

// isFromItem reports whether a link starts at an item.
func (l *link) isFromItem() bool { return l.source.items != nil }

// start returns where a link with this source starts: at the first node with such an item, at
// the node with this ID, or at the entry point.
func (id *identifier) start() *node {
	if id.items != nil {
		return id.items[0].node
	}
	return cmp.Or(id.node, id.entrypoint)
}

// isOrphaned reports whether the source that a link names is not in the graph. A link that an
// element names does not require a source.
func (g *graph) isOrphaned(l *link) bool {
	return g.sourcesKnown && l.origin == nil && l.source.text != ""
}

// lacks reports whether a node does not contain the item that a link or a jump names. If no
// item of the node has an ID, the structure is another one.
func (n *node) lacks(item *identifier) bool {
	return item.text != "" && n.hasItems && !slices.ContainsFunc(item.items, func(p place) bool { return p.node == n })
}
