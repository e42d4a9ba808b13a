// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// welcome is a definition whose entry point leads to the node n1, which is called
// Welcome and has some members. The links and nodes follow the first ones.
func welcome(links, members, nodes string) string {
	return `{"ref": {"key": "agt_1", "publicKey": "bookings"}, "graph": {
		"entrypoints": [{"id": "e", "type": "start", "outgoingEdgeId": "l1"}],
		"links": [{"id": "l1", "from": {"blockId": "e"}, "to": {"groupId": "n1"}}` + links + `],
		"nodes": [{"id": "n1", "title": "Welcome", ` + members + `}` + nodes + `],
		"memory": [{"id": "v1", "name": "next", "value": "n2"}]
	}}`
}

// checkMessages compares the messages of all findings.
func checkMessages(t *testing.T, definition string, want ...string) {
	t.Helper()
	var got []string
	for _, f := range flow.Analyze(parse(t, definition)).Findings {
		got = append(got, f.Kind+" "+f.ID+": "+f.Message)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected messages of %s (-want +got):\n%s", definition, diff)
	}
}

func (s samples) checkMessages(t *testing.T) {
	t.Helper()
	for name, test := range s {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkMessages(t, test.definition, test.want...)
		})
	}
}

func TestJumps(t *testing.T) {
	t.Parallel()
	const (
		n2   = `, {"id": "n2", "title": "Menu"}`
		lost = `unreachable_node n2: No links or jumps lead from an entry point to the node "Menu", so no session reaches it.`
	)
	jump := func(options string) string {
		return welcome(``, `"blocks": [{"id": "b1", "options": `+options+`}]`, n2)
	}
	dangling := func(where string) string {
		return `dangling_jump ` + where + ` leads to "n9", which is not in the graph. A session may end there.`
	}
	samples{
		"to a node":                              {jump(`{"groupId": "n2"}`), nil},
		"to a deleted node":                      {jump(`{"groupId": "n9"}`), []string{dangling(`b1: A jump in the element "b1" in the node "Welcome"`), lost}},
		"to a block of a deleted node":           {jump(`{"groupId": "n9", "blockId": "b9"}`), []string{dangling(`b1: A jump in the element "b1" in the node "Welcome"`), lost}},
		"to itself":                              {jump(`{"groupId": "n1"}`), []string{lost}},
		"to an entry point":                      {jump(`{"groupId": "e"}`), []string{`dangling_jump b1: A jump in the element "b1" in the node "Welcome" leads to "e", which is an entry point. A session may end there.`, lost}},
		"by variable":                            {jump(`{"groupId": "{{next}}"}`), nil},
		"to another agent's node":                {jump(`{"groupId": "n9", "agentId": "agt_2"}`), []string{lost}},
		"to another agent's node of the same ID": {jump(`{"groupId": "n2", "agentId": "agt_2"}`), []string{lost}},
		"to this agent's node by its key":        {jump(`{"groupId": "n9", "agentId": "agt_1"}`), []string{dangling(`b1: A jump in the element "b1" in the node "Welcome"`), lost}},
	}.checkMessages(t)
	// A jump from a node that no session reaches is no way.
	const lost3 = `unreachable_node n3: No links or jumps lead from an entry point to the node "End", so no session reaches it.`
	jumping := welcome(``, `"text": "Hi"`, `, {"id": "n2", "title": "Menu", "groupId": "{{next}}"}, {"id": "n3", "title": "End"}`)
	checkMessages(t, jumping, lost, lost3)
	// Outside the graph, groupId names no node.
	checkMessages(t, strings.Replace(jumping, `"graph"`, `"integrations": {"sheet": {"groupId": "n3"}}, "graph"`, 1), lost, lost3)
}

// Entry points and nodes behind which nothing follows.
func TestEndsAtOnce(t *testing.T) {
	t.Parallel()
	const blocks = `"blocks": [{"id": "b1", "outgoingEdgeId": "l2"}]`
	const link = `, {"id": "l2", "from": {"blockId": "b1"}, "to": {"groupId": "n2"}}`
	empty := `empty_node n2: The node "Menu" is empty. A session that reaches it ends there.`
	samples{
		"a node without items":                 {welcome(link, blocks, `, {"id": "n2", "title": "Menu", "blocks": []}`), []string{empty}},
		"a node of another shape":              {welcome(link, blocks, `, {"id": "n2", "title": "Menu", "labels": []}`), nil},
		"a node that is linked itself":         {welcome(link+`, {"id": "l3", "from": {"blockId": "n2"}, "to": {"groupId": "n1"}}`, blocks, `, {"id": "n2", "blocks": []}`), nil},
		"two nodes without items":              {welcome(link, blocks, `, {"id": "n2", "title": "Menu", "blocks": []}, {"id": "n3", "title": "Old", "blocks": []}`), []string{empty, `unreachable_node n3: No links or jumps lead from an entry point to the node "Old", so no session reaches it.`}},
		"an entry point that nothing follows":  {withEntrypoint(`{"id": "f", "type": "start"}`), []string{`entrypoint_without_link f: The entry point "start" has no link. A session that starts there ends at once or fails.`}},
		"an entry point without its link":      {withEntrypoint(`{"id": "event", "type": "start", "outgoingEdgeId": null}`), nil},
		"an entry point with a link and a way": {withEntrypoint(`{"id": "event", "type": "start", "opens": "n1"}`), nil},
		"an entry point that jumps away":       {withEntrypoint(`{"id": "f", "type": "event", "groupId": "n9"}`), []string{`dangling_jump f: A jump in the entry point "event" leads to "n9", which is not in the graph. A session may end there.`}},
		"an empty graph that is published":     {`{"exposure": {"state": {"published": true}}, "graph": {"nodes": [], "links": [], "entrypoints": [{"id": "e", "type": "start"}]}}`, []string{`empty_graph : The definition's graph has no nodes. A session that uses the definition ends at once.`}},
		"an empty graph that is unpublished":   {`{"exposure": {"state": {"published": false}}, "graph": {"entrypoints": [{"id": "e", "type": "start"}]}}`, []string{`entrypoint_without_link e: The entry point "start" has no link. A session that starts there ends at once or fails.`}},
	}.checkMessages(t)
}

// withEntrypoint is a definition with a second entry point. A link that is the only one
// from there is left over if the entry point has another ID.
func withEntrypoint(entrypoint string) string {
	link := ``
	if strings.Contains(entrypoint, `"id": "event"`) {
		link = `, {"id": "l2", "from": {"blockId": "event"}, "to": {"groupId": "n1"}}`
	}
	return strings.Replace(welcome(link, `"text": "Hi"`, ``), `"entrypoints": [`, `"entrypoints": [`+entrypoint+`, `, 1)
}

// Sessions do not get past a choice whose items all lead elsewhere, unless it has other ways on.
func TestBehindAChoice(t *testing.T) {
	t.Parallel()
	const (
		last  = `"no", "outgoingEdgeId": "l2"}` + "\n\t\t\t]}"
		start = `"to": {"groupId": "menu"}`
	)
	choice := func(options string, edits ...string) string {
		return edited(t, append([]string{
			`"id": "ask"`, `"id": "ask", "type": "choice input", "options": {` + options + `}`, last, last + `, {"id": "redirect"}, {"id": "thanks"}`,
		}, edits...)...)
	}
	blocks := func(items, after string) string {
		return welcome(``, `"blocks": [{"id": "c", "type": "choice", "items": [`+items+`]}, {`+after+`}]`, ``)
	}
	for name, test := range map[string]struct {
		definition string
		isDead     bool
	}{
		"without items":          {blocks(``, `"id": "b"`), false},
		"before what has no ID":  {blocks(`{"id": "i", "outgoingEdgeId": "l1"}`, `"text": "Hi"`), false},
		"in a node without way":  {strings.NewReplacer(`"to": {"groupId": "n1"}`, `"to": {"groupId": "n0"}`, `"nodes": [`, `"nodes": [{"id": "n0"}, `).Replace(blocks(`{"id": "i", "outgoingEdgeId": "l1"}`, `"id": "b"`)), false},
		"one answer":             {choice(`"isMultipleChoice": false`), true},
		"several answers":        {choice(`"isMultipleChoice": true`), false},
		"buttons of a variable":  {choice(`"dynamicVariableId": "v1"`), false},
		"a button without link":  {choice(``, `"yes", "outgoingEdgeId": "l1"`, `"yes"`, `"itemId": "yes"`, `"itemId": "no"`), false},
		"a condition":            {strings.Replace(choice(``), "choice input", "Condition", 1), false},
		"a link to what follows": {choice(``, start, `"to": {"groupId": "menu", "blockId": "redirect"}`), false},
		"a link to its end":      {choice(``, start, `"to": {"groupId": "menu", "blockId": "thanks"}`), true},
		"a jump to what follows": {choice(``, `"groupId": "menu", "blockId": "ask"`, `"groupId": "menu", "blockId": "redirect"`), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if isDead := strings.Contains(strings.Join(found(t, test.definition), "\n"), "unreachable_element"); isDead != test.isDead {
				t.Errorf("got %v for %s", found(t, test.definition), test.definition)
			}
		})
	}
	// What it leads to is part of the finding, and drawn.
	behind := choice(``, `{"id": "redirect"}`, `{"id": "redirect", "go": "lost"}`, `{"id": "thanks"}`, `{"id": "thanks", "outgoingEdgeId": "l5"}`,
		`{"id": "l1"`, `{"id": "l5", "from": {"blockId": "thanks"}, "to": {"groupId": "late"}}, {"id": "l1"`, `{"id": "check"`, `{"id": "lost"}, {"id": "late"}, {"id": "other"}, {"id": "check"`, `"title": "Menu"`, `"title": "Menu", "visit": "other"`)
	want := []flow.Finding{{
		Kind: "unreachable_element", ID: "redirect", IDs: []string{"redirect", "late", "lost", "thanks"}, Title: "Menu",
		Message: `No session reaches what follows the choice "ask" in the node "Menu", because each of its items leads elsewhere.`,
	}}
	if diff := cmp.Diff(want, flow.Analyze(parse(t, behind)).Findings); diff != "" {
		t.Errorf("unexpected findings (-want +got):\n%s", diff)
	}
	// What follows an item to which something leads is reached.
	landing := strings.Replace(behind, start, `"to": {"groupId": "menu", "blockId": "thanks"}`, 1)
	if ids := flow.Analyze(parse(t, landing)).Findings[0].IDs; !slices.Equal(ids, []string{"redirect", "lost"}) {
		t.Errorf("got %v", ids)
	}
	diagram := draw(t, behind)
	for _, line := range []string{`n_lost["lost"]:::unreachable`, "n_menu --> n_late\n", "n_menu -.-> n_lost\n"} {
		if !strings.Contains(diagram, line) {
			t.Errorf("no %s in\n%s", line, diagram)
		}
	}
}
