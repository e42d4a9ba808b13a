// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package flow reads an agent's conversation as a graph, finds mistakes in the
// graph, and draws it as a Mermaid diagram. It accepts any definition.
//
// The API documents links, variables, and entry points, but not the shape of a
// node. Beyond the documented fields, this package makes these assumptions:
//
//  1. A node is an object with an ID that the target of a link names.
//  2. An object with an ID inside a node is an item of that node. A link comes from the item
//     that its source names, or else from the node or entry point. Those that every node has,
//     unless it is empty, are in its array blocks.
//  3. A text inside a node, or in quotes or {{...}} in such a text, that equals
//     the ID of another node leads to that node.
//  4. A variable is used if its ID or its name occurs in the same way. If most values of a key are IDs of variables, all are.
//  5. A text under outgoingEdgeId in an item is the ID of a link, at which a session leaves the
//     node. If one names a link that starts at its itemId, or blockId, nobody follows such
//     links that no item names, nor any that only a node names. If only entry points name
//     links, it is unknown whether anybody follows those from items.
//  6. A text under groupId inside a node is the ID of a node, and one under blockId beside it
//     that of an item in that node, as in the target of a link. A text with {{...}} can be
//     any node's ID or title. If an ID beside it is not of this graph, the node is another
//     agent's.
//  7. If items have the ID of their node under groupId, this has no meaning in any item.
//  8. Nobody gets past a choice of one answer if each of its items names a link. What follows
//     is reached only by a link or a jump to an item of it.
//
// They apply only to graphs in which at least one link's target is the ID of a
// node. What may be a way or a use counts as one, because a false finding is
// worse than a missing one.
package flow

import (
	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// value is a value in a definition.
type value = *jsonvalue.Value

// graph is the conversation of one agent. Each field is set by the function above it, and
// later ones only read it. The same applies to the fields of what it consists of.
type graph struct {
	// readLists:

	// known has the IDs and names that texts can refer to.
	known map[string]bool
	// nodes are those without an ID and the first one of each ID, which stands for
	// all nodes with that ID. The same applies to entry points. Elements are both.
	nodes, entrypoints, elements []*node
	nodesByID, entrypointsByID   map[string]*node
	links                        []*link
	linksByID                    map[string][]*link
	variables                    []variable
	// byID has what is in the lists, which is more than one value if elements have the same ID.
	byID map[element][]value
	// outside is what can name something in the graph, but is not in it.
	outside *node
	// agent has the IDs of the agent itself.
	agent []string
	// targetsKnown reports that a link leads to a node, so that the assumptions apply.
	targetsKnown bool

	// findItems:

	// items are the objects in nodes by their IDs.
	items map[string][]place
	// targets has the IDs of items that a link or a jump leads to.
	targets map[string]bool
	// variableKeys has the IDs of variables by the keys under which they are.
	variableKeys map[string]map[string]bool
	// itemsRepeatNodes reports that items have the ID of their node, as in older formats.
	itemsRepeatNodes bool

	// findUses:

	// used has the texts that are where a variable can be used.
	used map[string]bool
	// undefined has the texts that should be a variable's name or ID, but are not, and the nodes
	// that use them.
	undefined  map[undefined][]*node
	agentLinks map[AgentLink]string
	// itemsNameLinks and entrypointsNameLinks report that one names a link, which can be missing.
	itemsNameLinks, entrypointsNameLinks bool

	// findStarts:

	// sourcesKnown reports whether links start at something in the graph.
	sourcesKnown bool

	// findReached:

	reached visited
	// entered reports whether a session reaches a node.
	entered bool
}

// newGraph reads a graph in stages, each of which needs all of what those before it found.
func newGraph(d definition.Definition) *graph {
	g := readLists(d)
	for _, n := range g.elements {
		for _, v := range n.values {
			g.findItems(n, "", v)
		}
	}
	for _, n := range append(g.elements, g.outside) {
		g.findUses(n)
	}
	g.findStarts(g.findExits())
	g.findReached()
	return g
}
