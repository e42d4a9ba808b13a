// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// Kind is the kind of a finding.
type Kind string

// The kinds of findings, in the order in which they are reported.
const (
	DanglingLink          Kind = "dangling_link"
	UnreachableNode       Kind = "unreachable_node"
	EntrypointWithoutLink Kind = "entrypoint_without_link"
	DuplicateID           Kind = "duplicate_id"
	UnusedVariable        Kind = "unused_variable"
	GraphNotUnderstood    Kind = "graph_not_understood"
)

// Finding is a mistake in a graph, or the reason why the graph was not
// analyzed.
type Finding struct {
	Kind Kind
	// ID is the ID of the link, node, entry point or variable. It is empty if
	// there is none, and for GraphNotUnderstood.
	ID string
	// Title is the title of the node, the name of the variable or the type of the
	// entry point. For a link, it is the title of the end that exists. It is one
	// line and can be empty.
	Title string
	// Message describes the finding in one sentence.
	Message string
}

// Findings returns the mistakes in the graph, by kind, ID, title and message.
// The order of nodes, links, variables, and entry points makes no difference.
func (g *Graph) Findings() []Finding {
	f := &findings{Graph: g, first: map[int]int{}}
	empty := len(g.nodes) == 0 && len(g.links) == 0 && !g.unexpected
	if g.targetsKnown {
		f.danglingLinks()
		f.unreachableNodes()
		f.unusedVariables()
	}
	if g.targetsKnown || empty {
		f.entrypointsWithoutLink()
	}
	f.duplicateIDs()
	switch {
	case g.targetsKnown && !g.sourcesKnown:
		f.report(GraphNotUnderstood, none, nil, "No link comes from something with an ID inside a node. Unreachable nodes are not reported.")
	case g.targetsKnown && len(g.entrypoints) == 0:
		f.report(GraphNotUnderstood, none, nil, "The graph has no entry points. Unreachable nodes are not reported.")
	case !g.targetsKnown && !empty:
		f.report(GraphNotUnderstood, none, nil, "No link leads to the ID of a node. Only duplicate IDs of links, variables, and entry points are reported.")
	}
	order := []Kind{DanglingLink, UnreachableNode, EntrypointWithoutLink, DuplicateID, UnusedVariable, GraphNotUnderstood}
	slices.SortFunc(f.list, func(x, y Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind)),
			cmp.Compare(x.ID, y.ID), cmp.Compare(x.Title, y.Title), cmp.Compare(x.Message, y.Message),
		)
	})
	return f.list
}

type findings struct {
	*Graph
	list []Finding
	// first is the node that messages name for a place.
	first map[int]int
}

// report adds a finding about something with an ID.
func (f *findings) report(kind Kind, id int, title []byte, format string, args ...any) {
	f.list = append(f.list, Finding{kind, string(f.places[id].text), line(title, maxTitle), fmt.Sprintf(format, args...)})
}

// danglingLinks reports links whose source or target is not in the graph.
func (f *findings) danglingLinks() {
	for i := range f.links {
		l := &f.links[i]
		source, target := f.missingSource(l), f.missingTarget(l)
		if source == none && target == none {
			continue
		}
		from, to := quote(f.places[source].text), quote(f.places[target].text)
		switch {
		case source != none && target != none:
			f.report(DanglingLink, l.id, nil, "The link comes from %s and leads to %s, which are both not in the graph.", from, to)
		case source != none && l.target != none:
			title, called := f.end(l.target)
			f.report(DanglingLink, l.id, title, "The link to %s comes from %s, which is not in the graph.", called, from)
		case source != none:
			f.report(DanglingLink, l.id, nil, "The link comes from %s, which is not in the graph.", from)
		case target != none && l.source != none:
			title, called := f.end(l.source)
			f.report(DanglingLink, l.id, title, "The link from %s leads to %s, which is not in the graph.", called, to)
		default:
			f.report(DanglingLink, l.id, nil, "The link leads to %s, which is not in the graph.", to)
		}
	}
}

// end returns the title of a place at an end of a link, and its name in
// messages.
func (f *findings) end(place int) (title []byte, called string) {
	p := &f.places[place]
	if !f.inNode(place) && p.namedBy == 0 {
		for i := range f.all(p.entrypoints) {
			kind := f.entrypoints[i].kind
			return kind, "the entry point " + name(kind, p.text)
		}
	}
	title, id := f.named(place)
	return title, "the node " + name(title, id)
}

// named returns the title and the ID of a place's node, which is the first in
// alphabetical order if there are several. It looks up each place once, because
// many links can share one.
func (f *findings) named(place int) (title, id []byte) {
	first, ok := f.first[place]
	if !ok {
		nodes := f.at(place)
		if nodes == 0 {
			nodes = f.places[place].namedBy
		}
		first = slices.MinFunc(slices.Collect(f.all(nodes)), func(x, y int) int {
			return cmp.Or(bytes.Compare(f.nodes[x].title, f.nodes[y].title), bytes.Compare(f.id(x), f.id(y)))
		})
		f.first[place] = first
	}
	return f.nodes[first].title, f.id(first)
}

// id returns the ID of a node.
func (f *findings) id(node int) []byte { return f.places[f.nodes[node].id].text }

func (f *findings) unreachableNodes() {
	for at, p := range f.places {
		if p.nodes != 0 && f.unreachable(at) {
			title, id := f.named(at)
			f.report(UnreachableNode, at, title, "No links or jumps lead from an entry point to the node %s.", name(title, id))
		}
	}
}

func (f *findings) entrypointsWithoutLink() {
	for _, e := range f.entrypoints {
		if !f.leads(e) {
			f.report(EntrypointWithoutLink, e.id, e.kind, "The entry point %s has no link, so no session can reach a node from it.", name(e.kind, f.places[e.id].text))
		}
	}
}

// duplicateIDs reports IDs that several links, nodes, variables or entry points
// share.
func (f *findings) duplicateIDs() {
	nothing := func(int) []byte { return nil }
	for at, p := range f.places {
		f.duplicate(at, "links", p.links, nothing)
		if f.targetsKnown {
			f.duplicate(at, "nodes", p.nodes, func(i int) []byte { return f.nodes[i].title })
		}
		f.duplicate(at, "variables", p.variables, func(i int) []byte { return f.places[f.variables[i].name].text })
		f.duplicate(at, "entry points", p.entrypoints, func(i int) []byte { return f.entrypoints[i].kind })
	}
}

// duplicate reports an ID that several parts have, with the first of their
// titles in alphabetical order.
func (f *findings) duplicate(id int, noun string, parts list, title func(i int) []byte) {
	count, first := 0, []byte(nil)
	for i := range f.all(parts) {
		if text := title(i); count == 0 || bytes.Compare(text, first) < 0 {
			first = text
		}
		count++
	}
	if count > 1 {
		f.report(DuplicateID, id, first, "%d %s have the ID %s.", count, noun, quote(f.places[id].text))
	}
}

// unusedVariables reports nothing if no variable is used at all, because the
// nodes may name variables in an unknown way.
func (f *findings) unusedVariables() {
	used := func(v variable) bool { return f.places[v.id].used || f.places[v.name].used }
	if !slices.ContainsFunc(f.variables, used) {
		return
	}
	for _, v := range f.variables {
		if !used(v) && (v.id != none || v.name != none) {
			title := f.places[v.name].text
			f.report(UnusedVariable, v.id, title, "The variable %s is not used.", name(title, f.places[v.id].text))
		}
	}
}
