// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The kinds of findings, in the order in which they are reported.
const (
	DanglingLink          = "dangling_link"
	OrphanedLink          = "orphaned_link"
	MissingLink           = "missing_link"
	UnreachableNode       = "unreachable_node"
	EntrypointWithoutLink = "entrypoint_without_link"
	DuplicateID           = "duplicate_id"
	UndefinedVariable     = "undefined_variable"
	UnusedVariable        = "unused_variable"
	GraphNotUnderstood    = "graph_not_understood"
)

var kinds = []string{
	DanglingLink, OrphanedLink, MissingLink, UnreachableNode, EntrypointWithoutLink, DuplicateID, UndefinedVariable, UnusedVariable,
	GraphNotUnderstood,
}

// Finding is a mistake in a graph, or the reason why the graph was not
// analyzed.
type Finding struct {
	// Kind is one of the constants above.
	Kind string `tfsdk:"kind"`
	// ID is the ID of the link, item, node, entry point or variable to repair. It is
	// empty if there is none, and for GraphNotUnderstood. For UndefinedVariable, it is
	// the ID of the first node that uses the name.
	ID string `tfsdk:"id"`
	// IDs begins with ID if there is one. For UnreachableNode, the IDs of the nodes
	// that this one leads to follow, and for UndefinedVariable those of the other
	// nodes that use the name. It is never nil.
	IDs []string `tfsdk:"ids"`
	// Title is the title of the node, the name of the variable or the type of the
	// entry point. For a link, it is the title of the end that exists, and for an
	// item that of its node. It is one line and can be empty.
	Title string `tfsdk:"title"`
	// Message describes the finding, and what a session experiences.
	Message string `tfsdk:"message"`
}

// Findings returns the mistakes in the graph, by kind, ID, title and message.
// The order of links, variables, and entry points makes no difference. The
// result is never nil.
func (d *Definition) Findings() []Finding {
	g := newGraph(d.value)
	f := &findings{graph: g}
	if g.targetsKnown {
		f.brokenLinks()
		f.missingLinks(g.nodes)
		f.lostNodes()
		f.undefinedVariables()
		f.unusedVariables()
	}
	if g.targetsKnown || g.isEmpty {
		f.missingLinks(g.entrypoints)
		f.entrypointsWithoutLink()
	}
	f.duplicateIDs()
	switch {
	case g.targetsKnown && !g.sourcesKnown:
		f.report(GraphNotUnderstood, "", "", "No link comes from something with an ID inside a node. Unreachable nodes are not reported.")
	case g.targetsKnown && len(g.entrypoints) == 0 && !g.entered:
		f.report(GraphNotUnderstood, "", "", "The graph has no entry points. Unreachable nodes are not reported.")
	case !g.targetsKnown && !g.isEmpty:
		f.report(GraphNotUnderstood, "", "", "No link leads to the ID of a node. Only duplicate IDs of links, variables, and entry points are reported.")
	}
	slices.SortFunc(f.list, func(x, y Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(kinds, x.Kind), slices.Index(kinds, y.Kind)),
			cmp.Compare(x.ID, y.ID), cmp.Compare(x.Title, y.Title), cmp.Compare(x.Message, y.Message),
		)
	})
	return f.limited()
}

// maxFindings is the maximum size of the texts of all findings in bytes. Many
// findings can repeat one long ID.
const maxFindings = 1 << 20

// limited returns the findings that do not exceed the maximum size, and one with the
// number of all others. It copies IDs, because a part of a definition's text would keep
// the whole text in memory.
func (f *findings) limited() []Finding {
	limited, size := []Finding{}, 0
	for _, x := range f.list {
		added := len(x.ID) + len(x.Title) + len(x.Message)
		for _, id := range x.IDs {
			added += len(id)
		}
		if size+added > maxFindings {
			continue
		}
		size += added
		x.ID = strings.Clone(x.ID)
		for i, id := range x.IDs {
			x.IDs[i] = strings.Clone(id)
		}
		limited = append(limited, x)
	}
	if more := len(f.list) - len(limited); more > 0 {
		limited = append(limited, Finding{GraphNotUnderstood, "", []string{}, "", fmt.Sprintf("%d more findings are not listed, because the list is too long.", more)})
	}
	return limited
}

type findings struct {
	*graph
	list []Finding
}

// report adds a finding about something with an ID.
func (f *findings) report(kind string, id, title, format string, args ...any) {
	ids := []string{}
	if id != "" {
		ids = append(ids, id)
	}
	f.list = append(f.list, Finding{kind, id, ids, title, fmt.Sprintf(format, args...)})
}

// reportNodes adds a finding about several nodes.
func (f *findings) reportNodes(kind string, nodes []*node, title, message string) {
	ids := []string{}
	for _, n := range nodes {
		if n.id != nil {
			ids = append(ids, n.id.text)
		}
	}
	slices.Sort(ids[min(1, len(ids)):])
	f.list = append(f.list, Finding{kind, textOf(nodes[0].id), ids, title, message})
}

// name is what messages call the node or the entry point.
func (n *node) name() string {
	if n.isEntrypoint {
		return "the entry point " + name(n.title, textOf(n.id))
	}
	return "the node " + name(n.title, textOf(n.id))
}

// brokenLinks reports links whose source or target is not in the graph.
func (f *findings) brokenLinks() {
	for _, l := range f.links {
		source, target, item := f.missingSource(l), f.missingTarget(l), f.missingItem(l)
		switch {
		case source != "" && l.target != nil:
			f.report(OrphanedLink, textOf(l.id), l.target.title, "The link to %s comes from %s, which is not in the graph. No session uses the link.", l.target.name(), quote(source))
		case source != "":
			f.report(OrphanedLink, textOf(l.id), "", "The link comes from %s, which is not in the graph. No session uses the link.", quote(source))
		case target != "":
			from, title := l.start()
			f.report(DanglingLink, textOf(l.id), title, "The link%s leads to %s, which is not in the graph. A session ends there.", from, quote(target))
		case item != "":
			from, title := l.start()
			f.report(DanglingLink, textOf(l.id), title, "The link%s leads to the item %s in %s, which does not contain it. A session may continue with a different item.",
				from, quote(item), l.target.name())
		}
	}
}

// start returns where the link comes from, and the title of its origin.
func (l *link) start() (from, title string) {
	if l.origin == nil {
		return "", ""
	}
	return " from " + l.origin.name(), l.origin.title
}

// missingLinks reports where nodes or entry points continue at links that are not in
// the graph. It only ends sessions in the last item and in the node itself, because
// they continue with the next item.
func (f *findings) missingLinks(nodes []*node) {
	for _, n := range nodes {
		for _, m := range n.missing {
			where, end := n.name(), ""
			if m.itemID != textOf(n.id) {
				where = "the item " + name(f.titleIn(m.value), m.itemID) + " in " + where
			}
			inLastItem := m.position > 0 && m.position == n.items
			inNodeItself := m.position == 0 && m.itemID == textOf(n.id)
			if inLastItem || inNodeItself {
				end = " A session ends there."
			}
			f.report(MissingLink, m.itemID, n.title, "The link %s, at which %s continues, is not in the graph.%s", quote(m.link), where, end)
		}
	}
}

// lostNodes reports the unreachable nodes that no other one leads to.
func (f *findings) lostNodes() {
	for _, part := range f.lostParts() {
		behind := ""
		switch others := len(part) - 1; {
		case others == 1:
			behind = " or the node behind it"
		case others > 1:
			behind = fmt.Sprintf(" or the %d nodes behind it", others)
		}
		f.reportNodes(UnreachableNode, part, part[0].title,
			fmt.Sprintf("No links or jumps lead from an entry point to %s, so no session reaches it%s.", part[0].name(), behind))
	}
}

func (f *findings) entrypointsWithoutLink() {
	for _, e := range f.entrypoints {
		leads := slices.ContainsFunc(e.sources, func(id *identifier) bool { return id.outgoing != nil })
		if !leads && e.jumps == nil && e.missing == nil {
			f.report(EntrypointWithoutLink, textOf(e.id), e.title, "The entry point %s has no link, so no session can reach a node from it.", name(e.title, textOf(e.id)))
		}
	}
}

// duplicateIDs reports IDs that several links, nodes, variables or entry points
// share.
func (f *findings) duplicateIDs() {
	for _, id := range f.identifiers {
		f.duplicate(id, "links", len(id.links), "")
		if f.targetsKnown && id.node != nil {
			f.duplicate(id, "nodes", len(id.node.values), id.node.title)
		}
		if len(id.variables) > 0 {
			f.duplicate(id, "variables", len(id.variables), line(textOf(id.variables[0].name)))
		}
		if id.entrypoint != nil {
			f.duplicate(id, "entry points", len(id.entrypoint.values), id.entrypoint.title)
		}
	}
}

func (f *findings) duplicate(id *identifier, noun string, count int, title string) {
	if count > 1 {
		f.report(DuplicateID, id.text, title, "%d %s have the ID %s. The API does not document which of them a session uses.", count, noun, quote(id.text))
	}
}

// undefinedVariables reports names in {{...}} that are not a variable's. The braces
// show white space at the ends of a name.
func (f *findings) undefinedVariables() {
	for name, nodes := range f.undefined {
		where := nodes[0].name() + " uses"
		if others := len(nodes) - 1; others > 0 {
			where = fmt.Sprintf("%s and %d more use", nodes[0].name(), others)
		}
		f.reportNodes(UndefinedVariable, nodes, line(name),
			fmt.Sprintf("No variable has exactly the name in %s, which %s. A session has no value for it.", quote("{{"+name+"}}"), where))
	}
}

// unusedVariables reports nothing if no variable is used at all, because the
// nodes may name variables in an unknown way.
func (f *findings) unusedVariables() {
	if !slices.ContainsFunc(f.variables, (*variable).used) {
		return
	}
	for _, v := range f.variables {
		if title := textOf(v.name); !v.used() && (v.id != nil || v.name != nil) {
			f.report(UnusedVariable, textOf(v.id), line(title), "The variable %s is not used. Sessions do not need it.", name(title, textOf(v.id)))
		}
	}
}

func (v *variable) used() bool {
	return v.id != nil && v.id.used || v.name != nil && v.name.used
}
