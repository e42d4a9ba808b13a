// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Kinds are the kinds of findings in the order in which they are reported: first what ends
// sessions, then what sessions lack, then what they never notice.
var Kinds = []string{
	"empty_graph", "dangling_link", "missing_link", "dangling_jump", "entrypoint_without_link", "empty_node", "graph_not_understood",
	"duplicate_id", "undefined_variable", "unreachable_node", "unreachable_element", "orphaned_link", "unused_variable",
}

// Finding is a mistake in a graph, or the reason why the graph was not
// analyzed.
type Finding struct {
	// Kind is one of Kinds.
	Kind string `json:"kind" tfsdk:"kind"`
	// ID is the ID of the link, item, node, entry point or variable to repair. It is
	// empty if there is none, and for empty_graph and graph_not_understood. For undefined_variable, it is
	// the ID of the first node that uses the name or ID.
	ID string `json:"id" tfsdk:"id"`
	// IDs begins with ID if there is one. For unreachable_node, the IDs of the nodes
	// that this one leads to follow, and for undefined_variable those of the other
	// nodes that use it. For unreachable_element, they are those of what follows the same
	// choice, and of the nodes behind it. It is never nil.
	IDs []string `json:"ids" tfsdk:"ids"`
	// Title is the title of the node, the name of the variable or the type of the
	// entry point. For a link, it is the title of the end that exists, and for an
	// item that of its node. It is one line and can be empty.
	Title string `json:"title" tfsdk:"title"`
	// Message describes the finding, and what a session experiences.
	Message string `json:"message" tfsdk:"message"`
}

// Analysis is what a flow says about itself.
type Analysis struct {
	// Findings are the mistakes in the graph, by kind, ID, title and message. The order of
	// links, variables, and entry points makes no difference. It is never nil.
	Findings []Finding
	// AgentLinks are what may be links to other agents, with the first item that has each.
	AgentLinks map[AgentLink]string
}

// Analyze analyzes a definition. One without a graph has a finding that says so.
func Analyze(d definition.Definition) Analysis {
	if !d.HasGraph() {
		message := "The graph cannot be analyzed: " + definition.ErrNoGraph.Error() + "."
		return Analysis{Findings: []Finding{{Kind: "graph_not_understood", IDs: []string{}, Message: message}}}
	}
	g := newGraph(d)
	return Analysis{g.findings(), g.agentLinks}
}

// AgentLink is an ID that is not in the graph, and can be another agent's. Which keys have IDs
// of agents can be seen only in several definitions.
type AgentLink struct{ Key, AgentID string }

// findings returns the findings in their order.
func (g *graph) findings() []Finding {
	isUnpublished := g.definition.Member("exposure", "state", "published").Kind() == 'f'
	switch {
	case g.targetsKnown:
		g.skippedChecks()
		g.brokenLinks()
		g.deadEnds()
		g.lostNodes()
		g.undefinedVariables()
		g.unusedVariables()
	case len(g.nodes) > 0 || len(g.links) > 0:
		g.report("graph_not_understood", nil, "", "No link leads to the ID of a node. "+
			"Only duplicate IDs of links, variables, and entry points are reported.")
	case !isUnpublished:
		g.report("empty_graph", nil, "",
			"The definition's graph has no nodes. A session that uses the definition ends at once.")
	default:
		g.deadEnds()
	}
	g.duplicateIDs()
	slices.SortFunc(g.found, func(x, y Finding) int {
		return cmp.Or(
			slices.Index(Kinds, x.Kind)-slices.Index(Kinds, y.Kind),
			cmp.Compare(x.ID, y.ID), cmp.Compare(x.Title, y.Title), cmp.Compare(x.Message, y.Message),
			slices.Compare(x.IDs, y.IDs),
		)
	})
	return g.found
}

// report adds a finding about what has these IDs. Those that are empty do not count.
func (g *graph) report(kind string, ids []string, title, format string, args ...any) {
	finding := Finding{
		Kind:    kind,
		IDs:     []string{},
		Title:   title,
		Message: fmt.Sprintf(format, args...),
	}
	for _, id := range ids {
		if id != "" {
			finding.IDs = append(finding.IDs, id)
		}
	}
	if len(finding.IDs) > 0 {
		finding.ID = finding.IDs[0]
		slices.Sort(finding.IDs[1:])
	}
	g.found = append(g.found, finding)
}

func idsOf(nodes []*node) []string {
	var ids []string
	for _, n := range nodes {
		ids = append(ids, n.id.text)
	}
	return ids
}

// String is what messages call the node or the entry point.
func (n *node) String() string {
	if n.isEntrypoint {
		return "the entry point " + named(n.title, n.id.text)
	}
	return "the node " + named(n.title, n.id.text)
}

// skippedChecks reports why findings may be missing.
func (g *graph) skippedChecks() {
	switch {
	case !g.sourcesKnown:
		g.report("graph_not_understood", nil, "", "No link comes from something with an ID inside a node. Unreachable nodes are not reported.")
	case len(g.entrypoints) == 0 && !g.entered:
		g.report("graph_not_understood", nil, "", "The graph has no entry points. Unreachable nodes are not reported.")
	}
	unnamed := 0
	for _, l := range g.links {
		if l.isFromItem() {
			unnamed++
		}
	}
	if unnamed > 0 && g.entrypointsNameLinks && !g.itemsNameLinks {
		g.report("graph_not_understood", nil, "", "Entry points name their links in outgoingEdgeId, but nothing in a node does. "+
			"A session may end at each link from a node (%d).", unnamed)
	}
}

// brokenLinks reports links whose source or target is not in the graph.
func (g *graph) brokenLinks() {
	for _, l := range g.links {
		ids, title := []string{l.id.text}, ""
		if l.origin != nil {
			title = l.origin.title
		}
		switch {
		case l.unfollowed:
			g.report("orphaned_link", ids, title,
				"%v is in no outgoingEdgeId of an element, unlike other links. No session uses it, and a session may end there.", l)
		case g.isOrphaned(l):
			to := ""
			if l.target != nil {
				to, title = " to "+l.target.String(), l.target.title
			}
			g.report("orphaned_link", ids, title,
				"The link%s comes from %v, which is not in the graph. No session uses the link.", to, quoted(l.source.text))
		case l.target == nil && l.group.text != "":
			g.report(
				"dangling_link",
				ids,
				title,
				"%v leads to %v. A session may end there.",
				l,
				g.absent(l.group.text, nil),
			)
		case l.target != nil && l.target.lacks(l.item):
			g.report("dangling_link", ids, title,
				"%v leads to %v. A session may continue with a different element.", l, g.absent(l.item.text, l.target))
		}
	}
}

// String is what messages call the link, with its origin if that is known.
func (l *link) String() string {
	if l.origin == nil {
		return "The link"
	}
	return "The link from " + l.origin.String()
}

// deadEnds reports where nodes or entry points continue at links or jump to nodes or items that
// do not exist, or do not continue. What looks like a jump can be something else, because the
// API does not document nodes. Entry points at which no sessions start may need no link.
func (g *graph) deadEnds() {
	for _, n := range slices.Concat(g.nodes, g.entrypoints) {
		for _, m := range n.missingLinks {
			g.report("missing_link", []string{m.itemID}, n.title,
				"The link %v, at which %v continues, is not in the graph. A session may end there.", quoted(m.id), m.exit)
		}
		for _, m := range n.missingJumps {
			g.report("dangling_jump", []string{m.itemID}, n.title,
				"A jump in %v leads to %v. A session may end there.", m.exit, g.absent(m.id, m.target))
		}
		ids, name := []string{n.id.text}, named(n.title, n.id.text)
		switch {
		case n.isEmpty() && !g.unreachable(n):
			g.report("empty_node", ids, n.title,
				"The node %v is empty. A session that reaches it ends there.", name)
		case n.isEntrypoint && n.title == startType && !n.leads():
			g.report("entrypoint_without_link", ids, n.title,
				"The entry point %v has no link. A session that starts there ends at once or fails.", name)
		}
	}
}

// absent is what messages call a target that is no node, or that is not in a node.
func (g *graph) absent(text string, n *node) string {
	switch {
	case n != nil:
		return fmt.Sprintf("the element %v in %v, which does not contain it", quoted(text), n)
	case g.identifier(text).entrypoint != nil:
		return quoted(text) + ", which is an entry point"
	}
	return quoted(text) + ", which is not in the graph"
}

// String is what messages call the item of a node, or the node itself, that contains an exit.
func (e exit) String() string {
	if e.itemID == e.node.id.text {
		return e.node.String()
	}
	return "the element " + named(titleIn(e.value), e.itemID) + " in " + e.node.String()
}

// lostNodes reports the unreachable nodes that no other one leads to.
func (g *graph) lostNodes() {
	start := "an entry point"
	if len(g.entrypoints) == 0 {
		start = "a start node"
	}
	for _, part := range g.lostParts() {
		if choice := part[0].behind; choice != nil {
			g.report("unreachable_element", idsOf(part), part[0].title,
				"No session reaches what follows the choice %v in %v, because each of its items leads elsewhere.",
				quoted(choice.itemID), choice.node)
			continue
		}
		behind := ""
		switch others := len(part) - 1; {
		case others == 1:
			behind = " or the node behind it"
		case others > 1:
			behind = fmt.Sprintf(" or the %d nodes behind it", others)
		}
		g.report("unreachable_node", idsOf(part), part[0].title,
			"No links or jumps lead from %s to %v, so no session reaches it%s.", start, part[0], behind)
	}
}

// duplicateIDs reports IDs that several links, nodes, variables or entry points share.
func (g *graph) duplicateIDs() {
	nouns := map[string]string{"links": "links", "memory": "variables", "entrypoints": "entry points"}
	if g.targetsKnown {
		nouns["nodes"] = "nodes"
	}
	for part, noun := range nouns {
		elements := map[string][]value{}
		for _, v := range g.definition.Member("graph", part).Members() {
			id := v.Member("id").Text()
			elements[id] = append(elements[id], v)
		}
		delete(elements, "")
		for id, same := range elements {
			if len(same) > 1 {
				title := cmp.Or(titleOf(same[0]), same[0].Member("type").Text())
				g.report("duplicate_id", []string{id}, line(title),
					"%d %s have the ID %v. The API does not document which of them a session uses.", len(same), noun, quoted(id))
			}
		}
	}
}

// undefinedVariables reports names in {{...}} that are not a variable's, and IDs if most others
// under the same key are. The braces show white space at the ends of a name.
func (g *graph) undefinedVariables() {
	report := func(format, start, end string, undefined map[string][]*node) {
		for name, nodes := range undefined {
			use := " uses"
			if others := len(nodes) - 1; others > 0 {
				use = fmt.Sprintf(" and %d more use", others)
			}
			g.report("undefined_variable", idsOf(nodes), line(name),
				format+", which %v%s. A session has no value for it.", quoted(start+name+end), nodes[0], use)
		}
	}
	report("No variable has exactly the name in %v", "{{", "}}", g.undefined)
	for _, texts := range g.variableKeys {
		all := len(texts)
		maps.DeleteFunc(texts, func(_ string, users []*node) bool { return users == nil })
		if 2*len(texts) <= all {
			report("No variable has the ID %v", "", "", texts)
		}
	}
}

// unusedVariables reports nothing if no variable is used at all, because the
// nodes may name variables in an unknown way.
func (g *graph) unusedVariables() {
	if !slices.ContainsFunc(g.variables, variable.isUsed) {
		return
	}
	for _, v := range g.variables {
		if title := v.name.text; !v.isUsed() && v.id.text+title != "" {
			g.report("unused_variable", []string{v.id.text}, line(title),
				"The variable %v is not used. Sessions do not need it.", named(title, v.id.text))
		}
	}
}

func (v variable) isUsed() bool { return v.id.used || v.name.used }

// maxTitle is the maximum number of characters of a title.
const maxTitle = 60

// line prepares a text for a message or a diagram.
func line(text string) string { return oneline.Text(text, maxTitle) }

// quoted is a text in a message.
func quoted(text string) string { return `"` + line(text) + `"` }

// named is what messages call something with a title and an ID.
func named(title, id string) string { return quoted(cmp.Or(line(title), id)) }
