// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import "github.com/convo/terraform-provider-convo/internal/jsonvalue"

// value is a value in a definition.
type value = *jsonvalue.Value

// graph is the conversation of one agent. A comment above fields names the stage that sets
// them, here and in the types below. Later stages only read them.
type graph struct {
	// readLists: nodes are those without an ID and the first one of each ID, which stands for
	// all nodes with that ID. The same applies to entry points. Elements are both.
	nodes, entrypoints, elements []*node
	nodesByID, entrypointsByID   map[string]*node
	links                        []*link
	linksByID                    map[string][]*link
	variables                    []variable
	// listed has the elements of all lists, which are several if they have the same ID.
	listed map[listID][]value
	// outside is what can name something in the graph, but is not in it.
	outside *node
	// agent has the IDs of the agent itself.
	agent []string

	// readLists and findItems: known has the IDs and names that texts can refer to, and targets
	// the IDs of items to which a link or a jump leads.
	known, targets map[string]bool

	// findItems: items are the objects in nodes by their IDs.
	items map[string][]place
	// variableKeys has the IDs of variables by the keys under which they are.
	variableKeys map[string]map[string]bool
	// itemsRepeatNodes reports that items have the ID of their node, as in older formats.
	itemsRepeatNodes bool

	// findEnds: targetsKnown reports that a link leads to a node, so that the assumptions apply.
	targetsKnown bool

	// findUses: used has the texts that are where a variable can be used.
	used map[string]bool
	// undefined has the nodes that use what should be a variable, but is not.
	undefined  map[undefined][]*node
	agentLinks map[AgentLink]string
	// itemsNameLinks and entrypointsNameLinks report that one names a link, which can be missing.
	itemsNameLinks, entrypointsNameLinks bool

	// findStarts: sourcesKnown reports whether the assumption about sources holds.
	sourcesKnown bool

	// findReached: entered reports whether a session reaches a node.
	entered bool
}

// listID is an ID in a list, which has the name that messages use.
type listID struct{ list, id string }

type variable struct{ id, name string }

// undefined is a text that no variable has as its name, or as its ID under a key.
type undefined struct{ key, text string }

// node is a node, an entry point, or what is outside of the graph.
type node struct {
	// readLists: the title is that of a node or the type of an entry point, as one line. Values
	// are more than one if nodes have the same ID.
	id, title    string
	isEntrypoint bool
	values       []value
	// sections are the node itself and, after findUses, those behind choices.
	sections []*section
	// findItems: hasItems reports that an item in blocks has an ID.
	hasItems bool
	// findUses: isStart reports that something in the node has the type of an entry point.
	isStart bool
}

// section is a node itself, or what follows a choice in it that no session gets past.
type section struct {
	// readLists, or findUses behind a choice:
	node   *node
	choice value // nil for a node itself
	// ids are those of the items behind the choice, or that of the node.
	ids []string
	// findUses: sources are the IDs that links can come from: the node's own one, and those of
	// items and of links that it names.
	sources []string
	// jumps are the nodes that texts name. JumpsAnywhere reports that a variable names one.
	jumps                      []*node
	jumpsAnywhere              bool
	missingLinks, missingJumps []missing
	// findWays: links lead away.
	links []*link
	// findReached: a session can reach the section.
	reached bool
}

// place is an object in a section. ItemID is its ID, or that of the innermost object with an ID
// around it.
type place struct {
	*section
	itemID string
	object value
}

// missing is the ID at a place of a link, a node, or an item of a target that does not exist.
type missing struct {
	place
	id     string
	target *node // of a jump to an item
}

// link is a link of the graph. Its ends are nil if they are not in the graph.
type link struct {
	// readLists:
	id, fromItem, fromBlock, toGroup, toBlock string
	// findEnds: source is the most precise ID of the start.
	target     *node
	source     string
	isFromItem bool
	// findUses: exit is the first place at which a session can leave by the link.
	exit    *place
	isNamed bool
	// findStarts: nobody follows an unfollowed link.
	origin     *node
	unfollowed bool
}
