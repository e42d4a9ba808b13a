// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package flow reads an agent's conversation as a graph, finds mistakes in the
// graph, and draws it as a Mermaid diagram. It accepts any definition.
//
// The API documents links, variables, and entry points, but not the shape of a
// node. So the graph is read in stages, each with its assumptions about nodes:
//
// readLists reads what the API documents.
//
//   - A node is an object with an ID that the target of a link names.
//
// findItems finds what is inside of nodes.
//
//   - An object with an ID inside a node is an item of that node. Those that every node has,
//     unless it is empty, are in its array blocks.
//   - If most values of a key are IDs of variables, all are.
//   - If items have the ID of their node under groupId, this has no meaning in any item.
//
// findEnds finds the ends of links.
//
//   - A link comes from the item that its source names, or else from the node or entry point.
//
// findUses finds what nodes name.
//
//   - A text inside a node, or in quotes or {{...}} in such a text, that equals
//     the ID of another node leads to that node.
//   - A variable is used if its ID or its name occurs in the same way.
//   - A text under outgoingEdgeId in an item is the ID of a link, at which a session leaves the
//     node.
//   - A text under groupId inside a node is the ID of a node, and one under blockId beside it
//     that of an item in that node, as in the target of a link. A text with {{...}} can be
//     any node's ID or title. If an ID beside it is not of this graph, the node is another
//     agent's.
//   - Nobody gets past a choice of one answer if each of its items names a link. What follows
//     is reached only by a link or a jump to an item of it.
//
// findStarts finds where links start, and findWays which of them sessions follow.
//
//   - If an item names a link that starts at its itemId, or blockId, nobody follows such
//     links that no item names, nor any that only a node names. If only entry points name
//     links, it is unknown whether anybody follows those from items.
//
// findReached finds what sessions reach.
//
// Findings and diagrams apply the assumptions only to graphs in which at least one link's target
// is the ID of a node. What may be a way or a use counts as one, because a false finding is
// worse than a missing one.
package flow

import "github.com/convo/terraform-provider-convo/internal/definition"

// newGraph reads a graph. Each stage needs all of what those before it found.
func newGraph(d definition.Definition) *graph {
	g := readLists(d)
	for _, n := range g.elements {
		for _, v := range n.values {
			g.findItems(n, "", v)
		}
	}
	g.findEnds()
	for _, n := range append(g.elements, g.outside) {
		g.findUses(n)
	}
	g.findStarts()
	g.findWays()
	g.findReached()
	return g
}
