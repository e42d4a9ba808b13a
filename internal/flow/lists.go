// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// element is an ID in a list, which messages call so.
type element struct{ list, id string }

// node is a node, an entry point, or what is outside of the graph.
type node struct {
	// readLists: the title is that of a node or the type of an entry point, as one line. Values
	// are more than one if nodes have the same ID.
	id, title    string
	isEntrypoint bool
	values       []value
	// findItems: an item in blocks has an ID.
	hasItems bool
	// findUses: sessions enter the first section. isStart reports that something in the node has
	// the type of an entry point.
	sections []*section
	isStart  bool
}

// link is a link of the graph. Both ends are nil if they are not in the graph.
type link struct {
	// readLists:
	id, fromItem, fromBlock, toGroup, toBlock string
	target                                    *node
	// findUses: the objects that continue at the link.
	exits []place
	// findExits: source is the most precise ID of the start. Exit is the first one at which a
	// session can leave by the link.
	source     string
	isFromItem bool
	exit       *place
	// findStarts: nothing follows an unfollowed link.
	origin     *node
	unfollowed bool
}

type variable struct{ id, name string }

// readLists reads the elements that the API documents.
func readLists(d definition.Definition) *graph {
	ref := d.Member("ref")
	g := &graph{
		agent:           []string{"current", ref.Member("key").Text(), ref.Member("publicKey").Text()},
		known:           map[string]bool{},
		byID:            map[element][]value{},
		nodesByID:       map[string]*node{},
		entrypointsByID: map[string]*node{},
		linksByID:       map[string][]*link{},
		items:           map[string][]place{},
		targets:         map[string]bool{},
		variableKeys:    map[string]map[string]bool{},
		used:            map[string]bool{},
		undefined:       map[undefined][]*node{},
		agentLinks:      map[AgentLink]string{},
		outside:         &node{},
	}
	for key, member := range d.Members() {
		// Telemetry lists every variable as a column, and notes on the canvas can contain any name.
		if key != "graph" && key != "telemetry" && key != "canvas" {
			g.outside.values = append(g.outside.values, member)
		}
	}
	lists := d.Member("graph")
	for _, v := range lists.Member("nodes").Members() {
		added := &node{id: g.idOf("nodes", v), title: line(titleOf(v))}
		g.nodes = add(g.nodes, g.nodesByID, added, v)
	}
	for _, v := range lists.Member("entrypoints").Members() {
		added := &node{id: g.idOf("entry points", v), title: line(v.Member("type").Text()), isEntrypoint: true}
		g.entrypoints = add(g.entrypoints, g.entrypointsByID, added, v)
	}
	g.elements = slices.Concat(g.nodes, g.entrypoints)
	for _, v := range lists.Member("links").Members() {
		l := &link{
			id:        g.idOf("links", v),
			fromItem:  g.idIn(v, "from", "itemId"),
			fromBlock: g.idIn(v, "from", "blockId"),
			toGroup:   g.idIn(v, "to", "groupId"),
			toBlock:   g.idIn(v, "to", "blockId"),
		}
		l.target = g.nodesByID[l.toGroup]
		g.targetsKnown = g.targetsKnown || l.target != nil
		g.linksByID[l.id] = append(g.linksByID[l.id], l)
		g.targets[l.toBlock] = true
		g.links = append(g.links, l)
	}
	delete(g.linksByID, "")
	for _, v := range lists.Member("memory").Members() {
		g.variables = append(g.variables, variable{g.idOf("variables", v), g.idIn(v, "name")})
	}
	return g
}

// idOf returns the ID of an element of a list.
func (g *graph) idOf(list string, v value) string {
	id := g.idIn(v, "id")
	if id != "" {
		g.byID[element{list, id}] = append(g.byID[element{list, id}], v)
	}
	return id
}

// idIn returns the ID or the name at a path of keys in a value, which texts can refer to.
func (g *graph) idIn(v value, path ...string) string {
	id := v.Member(path...).Text()
	if id != "" {
		g.known[id] = true
	}
	return id
}

// add adds a value to the first node with its ID, or a new node to a list.
func add(list []*node, byID map[string]*node, added *node, v value) []*node {
	if first := byID[added.id]; first != nil {
		first.values = append(first.values, v)
		return list
	}
	if added.id != "" {
		byID[added.id] = added
	}
	added.values = []value{v}
	return append(list, added)
}
