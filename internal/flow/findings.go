// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
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

// AgentLink is an ID that is not in the graph, and can be another agent's. Which keys have IDs
// of agents can be seen only in several definitions.
type AgentLink struct{ Key, AgentID string }

// Analyze analyzes a definition. One without a graph has a finding that says so.
func Analyze(d definition.Definition) Analysis {
	f := &finder{newGraph(d), []Finding{}}
	switch {
	case !d.HasGraph():
		f.add("graph_not_understood", nil, "", "The graph cannot be analyzed: %v.", definition.ErrNoGraph)
		return Analysis{f.findings, nil}
	case f.targetsKnown:
		f.skippedChecks()
		f.brokenLinks()
		f.deadEnds()
		f.lostNodes()
		f.undefinedVariables()
		f.unusedVariables()
	case len(f.nodes) > 0 || len(f.links) > 0:
		f.add("graph_not_understood", nil, "", "No link leads to the ID of a node. "+
			"Only duplicate IDs of links, variables, and entry points are reported.")
	case d.Member("exposure", "state", "published").Kind() != 'f':
		f.add("empty_graph", nil, "",
			"The definition's graph has no nodes. A session that uses the definition ends at once.")
	default:
		f.deadEnds()
	}
	f.duplicateIDs()
	slices.SortFunc(f.findings, func(x, y Finding) int {
		return cmp.Or(
			slices.Index(Kinds, x.Kind)-slices.Index(Kinds, y.Kind),
			cmp.Compare(x.ID, y.ID), cmp.Compare(x.Title, y.Title), cmp.Compare(x.Message, y.Message),
			slices.Compare(x.IDs, y.IDs),
		)
	})
	return Analysis{f.findings, f.agentLinks}
}

// finder collects the findings of a graph.
type finder struct {
	*graph
	findings []Finding
}

// add adds a finding about what has these IDs. Those that are empty do not count.
func (f *finder) add(kind string, ids []string, title, format string, args ...any) {
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
	f.findings = append(f.findings, finding)
}

// skippedChecks reports why findings may be missing.
func (f *finder) skippedChecks() {
	switch {
	case !f.sourcesKnown:
		f.add("graph_not_understood", nil, "", "No link comes from something with an ID inside a node. Unreachable nodes are not reported.")
	case len(f.entrypoints) == 0 && !f.entered:
		f.add("graph_not_understood", nil, "", "The graph has no entry points. Unreachable nodes are not reported.")
	}
	unnamed := 0
	for _, l := range f.links {
		if l.isFromItem {
			unnamed++
		}
	}
	if unnamed > 0 && f.entrypointsNameLinks && !f.itemsNameLinks {
		f.add("graph_not_understood", nil, "", "Entry points name their links in outgoingEdgeId, but nothing in a node does. "+
			"A session may end at each link from a node (%d).", unnamed)
	}
}

// brokenLinks reports links whose source or target is not in the graph.
func (f *finder) brokenLinks() {
	for _, l := range f.links {
		ids, title := []string{l.id}, ""
		if end := cmp.Or(l.origin, l.target); end != nil {
			title = end.title
		}
		switch {
		case l.unfollowed:
			f.add("orphaned_link", ids, title,
				"%v is in no outgoingEdgeId of an element, unlike other links. No session uses it, and a session may end there.", l)
		case f.isOrphaned(l):
			to := ""
			if l.target != nil {
				to = " to " + l.target.String()
			}
			f.add("orphaned_link", ids, title,
				"The link%s comes from %v, which is not in the graph. No session uses the link.", to, quoted(l.source))
		case l.target == nil && l.toGroup != "":
			f.add("dangling_link", ids, title, "%v leads to %v. A session may end there.", l, f.absent(l.toGroup, nil))
		case l.target != nil && f.lacks(l.target, l.toBlock):
			f.add("dangling_link", ids, title,
				"%v leads to %v. A session may continue with a different element.", l, f.absent(l.toBlock, l.target))
		}
	}
}

// deadEnds reports where nodes or entry points continue at links or jump to nodes or items that
// do not exist, or do not continue. What looks like a jump can be something else, because the
// API does not document nodes. Entry points at which no sessions start may need no link.
func (f *finder) deadEnds() {
	for _, n := range f.elements {
		first := n.sections[0]
		for _, m := range first.missingLinks {
			f.add("missing_link", []string{m.itemID}, n.title,
				"The link %v, at which %v continues, is not in the graph. A session may end there.", quoted(m.id), m)
		}
		for _, m := range first.missingJumps {
			f.add("dangling_jump", []string{m.itemID}, n.title,
				"A jump in %v leads to %v. A session may end there.", m, f.absent(m.id, m.target))
		}
		ids, name := []string{n.id}, named(n.title, n.id)
		// A session continues, or would if what is missing were in the graph.
		leads := len(first.links)+len(first.jumps)+len(first.missingLinks)+len(first.missingJumps) > 0
		blocks := n.values[0].Member("blocks")
		switch {
		case blocks.Kind() == '[' && blocks.Len() == 0 && !n.hasItems && !leads && !f.isLost(first):
			f.add("empty_node", ids, n.title,
				"The node %v is empty. A session that reaches it ends there.", name)
		case n.isEntrypoint && n.title == startType && !leads:
			f.add("entrypoint_without_link", ids, n.title,
				"The entry point %v has no link. A session that starts there ends at once or fails.", name)
		}
	}
}

// absent is what messages call a target that is no node, or that is not in a node.
func (g *graph) absent(text string, n *node) string {
	switch {
	case n != nil:
		return fmt.Sprintf("the element %v in %v, which does not contain it", quoted(text), n)
	case g.entrypointsByID[text] != nil:
		return quoted(text) + ", which is an entry point"
	}
	return quoted(text) + ", which is not in the graph"
}

// lostNodes reports the lost parts of the graph.
func (f *finder) lostNodes() {
	start := "an entry point"
	if len(f.entrypoints) == 0 {
		start = "a start node"
	}
	for _, part := range f.lostParts() {
		var ids []string
		for _, s := range part {
			ids = append(ids, s.ids...)
		}
		n := part[0].node
		if choice := part[0].choice; choice != nil {
			f.add("unreachable_element", ids, n.title,
				"No session reaches what follows the choice %v in %v, because each of its items leads elsewhere.",
				quoted(choice.Member("id").Text()), n)
			continue
		}
		behind := ""
		switch others := len(part) - 1; {
		case others == 1:
			behind = " or the node behind it"
		case others > 1:
			behind = fmt.Sprintf(" or the %d nodes behind it", others)
		}
		f.add("unreachable_node", ids, n.title,
			"No links or jumps lead from %s to %v, so no session reaches it%s.", start, n, behind)
	}
}

// duplicateIDs reports IDs that several links, nodes, variables or entry points share.
func (f *finder) duplicateIDs() {
	for e, same := range f.listed {
		if len(same) > 1 && (e.list != "nodes" || f.targetsKnown) {
			title := cmp.Or(titleOf(same[0]), same[0].Member("type").Text())
			f.add("duplicate_id", []string{e.id}, line(title),
				"%d %s have the ID %v. The API does not document which of them a session uses.", len(same), e.list, quoted(e.id))
		}
	}
}

// undefinedVariables reports names in {{...}} that are not a variable's, and IDs if most others
// under the same key are. The braces show white space at the ends of a name.
func (f *finder) undefinedVariables() {
	texts := map[string]int{}
	for name := range f.undefined {
		texts[name.key]++
	}
	for name, users := range f.undefined {
		what := "exactly the name in " + quoted(braces+name.text+"}}")
		if name.key != braces {
			what = "the ID " + quoted(name.text)
			if texts[name.key] > len(f.variableKeys[name.key]) {
				continue
			}
		}
		var ids []string
		for _, n := range users {
			ids = append(ids, n.id)
		}
		use := " uses"
		if others := len(users) - 1; others > 0 {
			use = fmt.Sprintf(" and %d more use", others)
		}
		f.add("undefined_variable", ids, line(name.text),
			"No variable has %s, which %v%s. A session has no value for it.", what, users[0], use)
	}
}

// unusedVariables reports nothing if no variable is used at all, because the
// nodes may name variables in an unknown way.
func (f *finder) unusedVariables() {
	if !slices.ContainsFunc(f.variables, f.isUsed) {
		return
	}
	for _, v := range f.variables {
		if !f.isUsed(v) && v.id+v.name != "" {
			f.add("unused_variable", []string{v.id}, line(v.name),
				"The variable %v is not used. Sessions do not need it.", named(v.name, v.id))
		}
	}
}

func (g *graph) isUsed(v variable) bool { return g.used[v.id] || g.used[v.name] }
