// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// identifier is an ID or a name of something in the graph. It has no text for what has none.
type identifier struct {
	text string
	// readLists: what has this ID.
	node, entrypoint *node
	links            []*link
	variables        []variable
	// findItems: the objects in nodes with this ID, and the keys of a variable's ID. isTarget
	// reports that a link or a jump leads to an item.
	items    []place
	keys     []string
	isTarget bool
	// findUses: the text occurs where a variable can be used.
	isUsed bool
}

// node is a node, an entry point, or what is outside of the graph.
type node struct {
	// readLists: the title is that of a node or the type of an entry point, as one line. Values
	// are more than one if nodes have the same ID.
	id           *identifier
	isEntrypoint bool
	title        string
	values       []value
	// findItems: an item in blocks has an ID.
	hasItems bool
	// findUses: sessions enter the first section. The targets of missingJumps do not exist.
	// isStart reports that something in the node has the type of an entry point.
	sections            []*section
	exits, missingJumps []reference
	isStart             bool
}

// link is a link of the graph. Both ends are nil if they are not in the graph.
type link struct {
	// readLists: source is the most precise ID of the start, which can be block. Group and item
	// are the IDs of the end.
	id, source, block, group, item *identifier
	target                         *node
	// findExits: exit is the first one at which a session can leave by the link.
	isNamed bool
	exit    *reference
	// findStarts: nothing follows an unfollowed link.
	origin     *node
	unfollowed bool
}

type variable struct{ id, name *identifier }

// readLists reads the elements that the API documents.
func readLists(d definition.Definition) *graph {
	ref := d.Member("ref")
	g := &graph{
		identifiers:  map[string]*identifier{},
		outside:      &node{id: &identifier{}},
		agent:        []string{"current", ref.Member("key").Text(), ref.Member("publicKey").Text()},
		variableKeys: map[string]int{},
		undefined:    map[undefined][]*node{},
		agentLinks:   map[AgentLink]string{},
	}
	for key, member := range d.Members() {
		// Telemetry lists every variable as a column, and notes on the canvas can contain any name.
		if key != "graph" && key != "telemetry" && key != "canvas" {
			g.outside.values = append(g.outside.values, member)
		}
	}
	lists := d.Member("graph")
	for _, v := range lists.Member("nodes").Members() {
		id := g.idIn(v, "id")
		g.nodes = add(g.nodes, &id.node, &node{id: id, title: line(titleOf(v))}, v)
	}
	for _, v := range lists.Member("entrypoints").Members() {
		id := g.idIn(v, "id")
		title := line(v.Member("type").Text())
		g.entrypoints = add(g.entrypoints, &id.entrypoint, &node{id: id, title: title, isEntrypoint: true}, v)
	}
	g.elements = slices.Concat(g.nodes, g.entrypoints)
	for _, v := range lists.Member("links").Members() {
		g.addLink(v)
	}
	for _, v := range lists.Member("memory").Members() {
		added := variable{g.idIn(v, "id"), g.idIn(v, "name")}
		added.id.variables = append(added.id.variables, added)
		g.variables = append(g.variables, added)
	}
	return g
}

// add adds a value to the first node with its ID, or a new node to a list.
func add(list []*node, first **node, added *node, v value) []*node {
	if *first == nil {
		*first = added
		list = append(list, added)
	}
	(*first).values = append((*first).values, v)
	return list
}

func (g *graph) addLink(v value) {
	l := &link{
		id:     g.idIn(v, "id"),
		source: g.idIn(v, "from", "itemId"),
		block:  g.idIn(v, "from", "blockId"),
		group:  g.idIn(v, "to", "groupId"),
		item:   g.idIn(v, "to", "blockId"),
	}
	if l.source.text == "" {
		l.source = l.block
	}
	l.target = l.group.node
	g.targetsKnown = g.targetsKnown || l.target != nil
	l.id.links = append(l.id.links, l)
	l.item.isTarget = true
	g.links = append(g.links, l)
}

// identifier returns the identifier with a text and adds it if necessary. An empty text is
// always another one.
func (g *graph) identifier(text string) *identifier {
	id := g.identifiers[text]
	if id == nil {
		id = &identifier{text: text}
		if text != "" {
			g.identifiers[text] = id
		}
	}
	return id
}

// idIn returns the identifier that is at a path of keys in a value.
func (g *graph) idIn(v value, path ...string) *identifier {
	return g.identifier(v.Member(path...).Text())
}
