// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// readLists reads the lists that the API documents.
func readLists(d definition.Definition) *graph {
	ref := d.Member("ref")
	g := &graph{
		agent:           []string{"current", ref.Member("key").Text(), ref.Member("publicKey").Text()},
		known:           map[string]bool{},
		listed:          map[listID][]value{},
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
	g.outside.addSection(nil)
	for key, member := range d.Members() {
		// Telemetry lists every variable as a column, and notes on the canvas can contain any name.
		if key != "graph" && key != "telemetry" && key != "canvas" {
			g.outside.values = append(g.outside.values, member)
		}
	}
	for list, members := range d.Member("graph").Members() {
		for _, v := range members.Members() {
			g.read(list, v)
		}
	}
	g.elements = slices.Concat(g.nodes, g.entrypoints)
	return g
}

// read reads an element of a list.
func (g *graph) read(list string, v value) {
	switch list {
	case "nodes":
		n := &node{id: g.idOf("nodes", v), title: line(titleOf(v))}
		g.nodes = add(g.nodes, g.nodesByID, n, v)
	case "entrypoints":
		n := &node{id: g.idOf("entry points", v), title: line(v.Member("type").Text()), isEntrypoint: true}
		g.entrypoints = add(g.entrypoints, g.entrypointsByID, n, v)
	case "links":
		l := &link{
			id:        g.idOf("links", v),
			fromItem:  g.idIn(v, "from", "itemId"),
			fromBlock: g.idIn(v, "from", "blockId"),
			toGroup:   g.idIn(v, "to", "groupId"),
			toBlock:   g.idIn(v, "to", "blockId"),
		}
		g.links = append(g.links, l)
		if l.id != "" {
			g.linksByID[l.id] = append(g.linksByID[l.id], l)
		}
		g.targets[l.toBlock] = true
	case "memory":
		g.variables = append(g.variables, variable{g.idOf("variables", v), g.idIn(v, "name")})
	}
}

// idOf returns the ID of an element of a list.
func (g *graph) idOf(list string, v value) string {
	e := listID{list, g.idIn(v, "id")}
	if e.id != "" {
		g.listed[e] = append(g.listed[e], v)
	}
	return e.id
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
	added.addSection(nil, added.id)
	return append(list, added)
}

// addSection adds a section to the node.
func (n *node) addSection(choice value, ids ...string) *section {
	added := &section{node: n, choice: choice, ids: ids}
	n.sections = append(n.sections, added)
	return added
}
