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

// graph is the conversation of one agent.
type graph struct {
	definition definition.Definition
	// identifiers has the IDs and names that texts can refer to.
	identifiers map[string]*identifier
	// nodes are those without an ID and the first one of each ID, which stands for
	// all nodes with that ID. The same applies to entry points.
	nodes, entrypoints []*node
	links              []*link
	variables          []variable
	// undefined has the names in {{...}} that are not a variable's, and the nodes that use them.
	undefined map[string][]*node
	// variableKeys has the texts under keys of IDs of variables, with the nodes that use one
	// that is not in the graph.
	variableKeys map[string]map[string][]*node
	agentLinks   map[AgentLink]string
	found        []Finding
	// itemsRepeatNodes reports that items have the ID of their node, as in older formats.
	itemsRepeatNodes bool
	// agent has the IDs of the agent itself.
	agent []string
	// itemsNameLinks and entrypointsNameLinks report that one names a link, which can be missing.
	itemsNameLinks, entrypointsNameLinks bool
	// targetsKnown and sourcesKnown report whether the assumptions about both ends
	// of a link hold at least once, and entered whether a session reaches a node.
	targetsKnown, sourcesKnown, entered bool
}

// identifier is an ID or a name of something in the graph. It has no text for what has none.
type identifier struct {
	text string
	// node and entrypoint are those with this ID, and holders have an item with it, of which
	// item is the first one.
	node, entrypoint *node
	holders          []*node
	item             value
	links            []*link // with this ID
	// isTarget reports that a link or a jump leads to an item with this ID.
	isTarget bool
	// outgoing are the links whose source has this ID, and the links with this ID if an
	// exit continues at them.
	outgoing []*link
	// isVariable reports that a variable has this ID, and used that the text occurs where a
	// variable can be used.
	isVariable, used bool
}

// node is an element of the array of nodes, an entry point, or an item behind a choice.
type node struct {
	ways
	isEntrypoint bool
	id           *identifier
	// title is the title of a node or the type of an entry point, as one line.
	title string
	// values are more than one if nodes have the same ID.
	values []value
	// hidden are the items behind choices that no session gets past. Behind is the choice
	// before such an item.
	hidden []*node
	behind *exit
	// hasItems reports that an item in blocks has an ID.
	hasItems bool
	// start reports that something in the node has the type of an entry point.
	start bool
	// reached reports that a session can reach the node.
	reached bool
}

// ways are what leads away from a node.
type ways struct {
	// sources are what links come from: the node's own ID, those of items, and those of
	// links that the node names. Jumps are the nodes that texts in it name.
	sources []*identifier
	jumps   []*node
	// missingLinks are where sessions leave by links that do not exist. The targets of
	// missingJumps do not exist.
	missingLinks, missingJumps []missingEnd
	// jumpsAnywhere reports a jump to a node whose ID or title is in a variable.
	jumpsAnywhere bool
}

// link is a link of the graph. Both ends are nil if they are not in the graph.
type link struct {
	id             *identifier
	origin, target *node
	// source is the most precise ID of the start, which can be block. Nothing follows an
	// unfollowed link.
	source, block *identifier
	unfollowed    bool
	// group and item are the IDs of the end.
	group, item *identifier
	// exits continue at the link, and exit is the first one at which a session can leave by it.
	exits []exit
	exit  *exit
}

// exit is an object in a node or an entry point that continues at a link.
type exit struct {
	node   *node
	itemID string // ID of the object, or of the innermost object with an ID around it
	value  value
}

// missingEnd is an exit at a link, at a node, or at an item of the target that does not exist.
type missingEnd struct {
	exit
	id     string
	target *node // of a jump to an item
}

type variable struct{ id, name *identifier }
