// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
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
// The order of nodes, links, variables and entry points makes no difference.
func (g *Graph) Findings() []Finding {
	a := g.analyze()
	var findings []Finding
	add := func(kind Kind, id, title, format string, args ...any) {
		findings = append(findings, Finding{kind, id, line(title, maxTitle), fmt.Sprintf(format, args...)})
	}
	empty := len(g.nodes) == 0 && len(g.links) == 0 && !g.unexpected
	understood := a.targetsKnown
	if understood {
		a.danglingLinks(add)
		a.unreachableNodes(add)
		a.unusedVariables(add)
	}
	if understood || empty {
		a.entrypointsWithoutLink(add)
	}
	a.duplicateIDs(add, understood)
	switch {
	case understood && !a.sourcesKnown:
		add(GraphNotUnderstood, "", "", "No link comes from something with an ID inside a node. Unreachable nodes are not reported.")
	case understood && len(g.entrypoints) == 0:
		add(GraphNotUnderstood, "", "", "The graph has no entry points. Unreachable nodes are not reported.")
	case !understood && !empty:
		add(GraphNotUnderstood, "", "", "No link leads to the ID of a node. Only duplicate IDs of links, variables and entry points are reported.")
	}
	order := []Kind{DanglingLink, UnreachableNode, EntrypointWithoutLink, DuplicateID, UnusedVariable, GraphNotUnderstood}
	slices.SortFunc(findings, func(x, y Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind)),
			cmp.Compare(x.ID, y.ID), cmp.Compare(x.Title, y.Title), cmp.Compare(x.Message, y.Message),
		)
	})
	return findings
}

type adder func(kind Kind, id, title, format string, args ...any)

// danglingLinks reports links whose source or target is not in the graph.
func (a *analysis) danglingLinks(add adder) {
	for i, l := range a.links {
		source, target := a.sources[i], a.targets[i]
		noSource, noTarget := a.missingSource(i), a.missingTarget(i)
		from, to := "", ""
		if noSource != none {
			from = quote(a.places[noSource].text)
		}
		if noTarget != none {
			to = quote(a.places[noTarget].text)
		}
		switch {
		case from != "" && to != "":
			add(DanglingLink, l.id, "", "The link comes from %s and leads to %s, which are both not in the graph.", from, to)
		case from != "" && target != none:
			title, called := a.end(target)
			add(DanglingLink, l.id, title, "The link to %s comes from %s, which is not in the graph.", called, from)
		case from != "":
			add(DanglingLink, l.id, "", "The link comes from %s, which is not in the graph.", from)
		case to != "" && source != none:
			title, called := a.end(source)
			add(DanglingLink, l.id, title, "The link from %s leads to %s, which is not in the graph.", called, to)
		case to != "":
			add(DanglingLink, l.id, "", "The link leads to %s, which is not in the graph.", to)
		}
	}
}

// end returns the title of a place at an end of a link, and its name in
// messages.
func (a *analysis) end(place int) (title, called string) {
	if p := a.places[place]; !a.inNode(place) && len(p.namedBy) == 0 {
		kind := a.entrypoints[p.entrypoints[0]].kind
		return kind, "the entry point " + name(kind, p.text)
	}
	title, id := a.named(place)
	return title, "the node " + name(title, id)
}

// named returns the title and the ID of a place's node, which is the first in
// alphabetical order if there are several. It looks up each place once, because
// many links can share one.
func (a *analysis) named(place int) (title, id string) {
	first, ok := a.first[place]
	if !ok {
		nodes := a.at(place)
		if len(nodes) == 0 {
			nodes = a.places[place].namedBy
		}
		first = slices.MinFunc(nodes, func(x, y int) int {
			return cmp.Or(cmp.Compare(a.nodes[x].title, a.nodes[y].title), cmp.Compare(a.nodes[x].id, a.nodes[y].id))
		})
		a.first[place] = first
	}
	return a.nodes[first].title, a.nodes[first].id
}

func (a *analysis) unreachableNodes(add adder) {
	for at, p := range a.places {
		if len(p.nodes) > 0 && a.unreachable(at) {
			title, id := a.named(at)
			add(UnreachableNode, id, title, "No links or jumps lead from an entry point to the node %s.", name(title, id))
		}
	}
}

func (a *analysis) entrypointsWithoutLink(add adder) {
	for i, e := range a.entrypoints {
		if !a.leads(a.starts[i]) {
			add(EntrypointWithoutLink, e.id, e.kind, "The entry point %s has no link, so no session can reach a node from it.", name(e.kind, e.id))
		}
	}
}

// duplicateIDs reports IDs that several links, nodes, variables or entry points
// share.
func (a *analysis) duplicateIDs(add adder, nodes bool) {
	report := func(noun string, n int, title func(i int) (id, title string)) {
		counts, titles := map[string]int{}, map[string]string{}
		for i := range n {
			id, text := title(i)
			if counts[id]++; counts[id] == 1 || text < titles[id] {
				titles[id] = text
			}
		}
		for id, count := range counts {
			if id != "" && count > 1 {
				add(DuplicateID, id, titles[id], "%d %s have the ID %s.", count, noun, quote(id))
			}
		}
	}
	report("links", len(a.links), func(i int) (string, string) { return a.links[i].id, "" })
	if nodes {
		report("nodes", len(a.nodes), func(i int) (string, string) { return a.nodes[i].id, a.nodes[i].title })
	}
	report("variables", len(a.variables), func(i int) (string, string) { return a.variables[i].id, a.variables[i].name })
	report("entry points", len(a.entrypoints), func(i int) (string, string) { return a.entrypoints[i].id, a.entrypoints[i].kind })
}

// unusedVariables reports nothing if no variable is used at all, because the
// nodes may name variables in an unknown way.
func (a *analysis) unusedVariables(add adder) {
	used := func(v variable) bool {
		return slices.ContainsFunc(v.places, func(at int) bool { return a.places[at].used })
	}
	if !slices.ContainsFunc(a.variables, used) {
		return
	}
	for _, v := range a.variables {
		if !used(v) && len(v.places) > 0 {
			add(UnusedVariable, v.id, v.name, "The variable %s is not used.", name(v.name, v.id))
		}
	}
}
