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
// The order of nodes, links, variables, and entry points makes no difference.
func (g *Graph) Findings() []Finding {
	f := &findings{Graph: g, first: map[*identifier]*node{}, titles: map[*node]title{}}
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
		f.report(GraphNotUnderstood, nil, "", "No link comes from something with an ID inside a node. Unreachable nodes are not reported.")
	case g.targetsKnown && len(g.entrypoints) == 0:
		f.report(GraphNotUnderstood, nil, "", "The graph has no entry points. Unreachable nodes are not reported.")
	case !g.targetsKnown && !empty:
		f.report(GraphNotUnderstood, nil, "", "No link leads to the ID of a node. Only duplicate IDs of links, variables, and entry points are reported.")
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
	// first is the node that messages name for an ID.
	first map[*identifier]*node
	// titles are those of nodes, which many links can share.
	titles map[*node]title
}

// title is a title as one line, and what messages call its node.
type title struct{ line, name string }

// report adds a finding about something with an ID.
func (f *findings) report(kind Kind, id *identifier, line, format string, args ...any) {
	f.list = append(f.list, Finding{kind, textOf(id), line, fmt.Sprintf(format, args...)})
}

// danglingLinks reports links whose source or target is not in the graph.
func (f *findings) danglingLinks() {
	for _, l := range f.links {
		source, target := f.missingSource(l), f.missingTarget(l)
		if source == nil && target == nil {
			continue
		}
		from, to := quote(textOf(source)), quote(textOf(target))
		switch {
		case source != nil && target != nil:
			f.report(DanglingLink, l.id, "", "The link comes from %s and leads to %s, which are both not in the graph.", from, to)
		case source != nil && l.target != nil:
			line, called := f.end(l.target)
			f.report(DanglingLink, l.id, line, "The link to %s comes from %s, which is not in the graph.", called, from)
		case source != nil:
			f.report(DanglingLink, l.id, "", "The link comes from %s, which is not in the graph.", from)
		case l.source != nil:
			line, called := f.end(l.source)
			f.report(DanglingLink, l.id, line, "The link from %s leads to %s, which is not in the graph.", called, to)
		default:
			f.report(DanglingLink, l.id, "", "The link leads to %s, which is not in the graph.", to)
		}
	}
}

// end returns the title at an end of a link, and what messages call the end.
func (f *findings) end(id *identifier) (line, called string) {
	if !id.inNode() && id.namedBy == nil {
		e := id.entrypoints[0]
		return e.line, "the entry point " + e.name
	}
	t := f.titleOf(id)
	return t.line, "the node " + t.name
}

// titleOf returns the title of the node that has an ID, or has it inside.
func (f *findings) titleOf(id *identifier) title {
	n := f.firstNode(id)
	return once(f.titles, n, func() title { return title{line(n.title, maxTitle), name(n.title, textOf(n.id))} })
}

// firstNode returns the node of an ID, which is the first in alphabetical order
// if there are several. It looks for it once, because many links can share an ID.
func (f *findings) firstNode(id *identifier) *node {
	return once(f.first, id, func() *node {
		nodes := id.at()
		if nodes == nil {
			nodes = id.namedBy
		}
		return slices.MinFunc(nodes, func(x, y *node) int { return cmp.Compare(x.order, y.order) })
	})
}

func (f *findings) unreachableNodes() {
	for _, id := range f.identifiers {
		if id.nodes != nil && f.unreachable(id) {
			t := f.titleOf(id)
			f.report(UnreachableNode, id, t.line, "No links or jumps lead from an entry point to the node %s.", t.name)
		}
	}
}

func (f *findings) entrypointsWithoutLink() {
	for _, e := range f.entrypoints {
		if !e.leads() {
			f.report(EntrypointWithoutLink, e.id, e.line, "The entry point %s has no link, so no session can reach a node from it.", e.name)
		}
	}
}

// duplicateIDs reports IDs that several links, nodes, variables or entry points
// share.
func (f *findings) duplicateIDs() {
	for _, id := range f.identifiers {
		duplicate(f, id, "links", id.links, func(*link) string { return "" })
		if f.targetsKnown {
			duplicate(f, id, "nodes", id.nodes, func(n *node) string { return n.title })
		}
		duplicate(f, id, "variables", id.variables, func(v *variable) string { return textOf(v.name) })
		duplicate(f, id, "entry points", id.entrypoints, func(e *entrypoint) string { return e.kind })
	}
}

// duplicate reports an ID that several parts have, with the first of their
// titles in alphabetical order.
func duplicate[T any](f *findings, id *identifier, noun string, parts []T, titleOf func(T) string) {
	if len(parts) < 2 {
		return
	}
	first := titleOf(parts[0])
	for _, part := range parts {
		first = min(first, titleOf(part))
	}
	f.report(DuplicateID, id, line(first, maxTitle), "%d %s have the ID %s.", len(parts), noun, quote(id.text))
}

// unusedVariables reports nothing if no variable is used at all, because the
// nodes may name variables in an unknown way.
func (f *findings) unusedVariables() {
	if !slices.ContainsFunc(f.variables, (*variable).used) {
		return
	}
	for _, v := range f.variables {
		if !v.used() && (v.id != nil || v.name != nil) {
			title := textOf(v.name)
			f.report(UnusedVariable, v.id, line(title, maxTitle), "The variable %s is not used.", name(title, textOf(v.id)))
		}
	}
}

func (v *variable) used() bool {
	return v.id != nil && v.id.used || v.name != nil && v.name.used
}
