// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
)

func parse(t testing.TB, text string) definition.Definition {
	t.Helper()
	parsed, err := definition.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// found are the findings of a graph as "kind id (title)", in their order.
func found(t testing.TB, definition string) []string {
	t.Helper()
	var lines []string
	for _, f := range flow.Analyze(parse(t, definition)).Findings {
		lines = append(lines, strings.TrimSpace(f.Kind+" "+f.ID)+" ("+f.Title+")")
	}
	return lines
}

// sample is a definition and its findings, or their messages.
type sample struct {
	definition string
	want       []string
}

// samples are checked for their findings.
type samples map[string]sample

func (s samples) check(t *testing.T) {
	t.Helper()
	for name, test := range s {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, found(t, test.definition)); diff != "" {
				t.Errorf("unexpected findings of %s (-want +got):\n%s", test.definition, diff)
			}
		})
	}
}

// A small graph with one mistake of each kind.
func TestFindings(t *testing.T) {
	t.Parallel()
	ids := func(ids ...string) []string { return ids }
	want := []flow.Finding{
		{"dangling_link", "l_gone", ids("l_gone"), "Help", `The link from the node "Help" leads to "n_gone", which is not in the graph. A session may end there.`},
		{"missing_link", "b_help", ids("b_help"), "Help", `The link "l_8", at which the element "b_help" in the node "Help" continues, is not in the graph. A session may end there.`},
		{"missing_link", "e_other", ids("e_other"), "other", `The link "l_9", at which the entry point "other" continues, is not in the graph. A session may end there.`},
		{"missing_link", "i_menu", ids("i_menu"), "Welcome", `The link "l_9", at which the element "Menu" in the node "Welcome" continues, is not in the graph. A session may end there.`},
		{"dangling_jump", "b_help", ids("b_help"), "Help", `A jump in the element "b_help" in the node "Help" leads to "n_gone", which is not in the graph. A session may end there.`},
		{"entrypoint_without_link", "e_second", ids("e_second"), "start", `The entry point "start" has no link. A session that starts there ends at once or fails.`},
		{"empty_node", "n_empty", ids("n_empty"), "Empty", `The node "Empty" is empty. A session that reaches it ends there.`},
		{"duplicate_id", "v_name", ids("v_name"), "name", `2 variables have the ID "v_name". The API does not document which of them a session uses.`},
		{"undefined_variable", "n_welcome", ids("n_welcome", "n_help"), "first_name", `No variable has exactly the name in "{{first_name}}", which the node "Welcome" and 1 more use. A session has no value for it.`},
		{"unreachable_node", "n_dead", ids("n_dead", "n_untitled"), "Dead end", `No links or jumps lead from an entry point to the node "Dead end", so no session reaches it or the node behind it.`},
		{"unreachable_element", "b_after", ids("b_after", "b_last"), "Welcome", `No session reaches what follows the choice "b_ask" in the node "Welcome", because each of its items leads elsewhere.`},
		{"orphaned_link", "l_left", ids("l_left"), "Welcome", `The link to the node "Welcome" comes from "b_left", which is not in the graph. No session uses the link.`},
		{"orphaned_link", "l_lost", ids("l_lost"), "", `The link comes from "b_left", which is not in the graph. No session uses the link.`},
		{"unused_variable", "v_old", ids("v_old"), "old", `The variable "old" is not used. Sessions do not need it.`},
	}
	definition := `{"graph": {
		"entrypoints": [
			{"id": "e_start", "type": "start", "outgoingEdgeId": "l_start"},
			{"id": "e_second", "type": "start", "outgoingEdgeId": null},
			{"id": "e_event", "type": "event", "outgoingEdgeId": null},
			{"id": "e_other", "type": "other", "outgoingEdgeId": "l_9"}
		],
		"links": [
			{"id": "l_lost", "from": {"blockId": "b_left"}, "to": {"groupId": "n_gone"}},
			{"id": "l_left", "from": {"blockId": "b_left"}, "to": {"groupId": "n_welcome"}},
			{"id": "l_start", "from": {"blockId": "b_start"}, "to": {"groupId": "n_welcome"}},
			{"id": "l_help", "from": {"blockId": "b_ask", "itemId": "i_help"}, "to": {"groupId": "n_help", "blockId": "b_help"}},
			{"id": "l_gone", "from": {"blockId": "b_help"}, "to": {"groupId": "n_gone"}},
			{"id": "l_empty", "from": {"blockId": "b_ask"}, "to": {"groupId": "n_empty"}},
			{"id": "l_dead", "from": {"blockId": "b_dead"}, "to": {"groupId": "n_untitled"}}
		],
		"nodes": [
			{"id": "n_dead", "title": "Dead\nend", "blocks": [{"id": "b_dead"}]},
			{"id": "n_welcome", "title": "Welcome", "blocks": [{"id": "b_ask", "type": "choice input", "text": "Hi {{name}} {{first_name}}", "items": [
				{"id": "i_help", "content": "Help!", "outgoingEdgeId": "l_help"}, {"id": "i_menu", "content": "Menu", "outgoingEdgeId": "l_9"}
			]}, {"id": "b_after"}, {"id": "b_last"}]},
			{"id": "n_help", "title": "Help", "blocks": [{"id": "b_help", "text": {"go": "{{first_name}} {{= x + 1}}"}, "options": {"groupId": "n_gone"}, "outgoingEdgeId": "l_8"}]},
			{"id": "n_untitled"},
			{"id": "n_empty", "title": "Empty", "blocks": []}
		],
		"memory": [{"id": "v_old", "name": "old"}, {"id": "v_name", "name": "name"}, {"id": "v_name", "name": "name"}]
	}}`
	if diff := cmp.Diff(want, flow.Analyze(parse(t, definition)).Findings); diff != "" {
		t.Errorf("unexpected findings (-want +got):\n%s", diff)
	}
	// The order decides nothing, except for that of nodes, the first of which stands for several.
	var reversed struct{ Graph map[string][]any }
	if err := json.Unmarshal([]byte(definition), &reversed); err != nil {
		t.Fatal(err)
	}
	for part, elements := range reversed.Graph {
		if part != "nodes" {
			slices.Reverse(elements)
		}
	}
	text, err := json.Marshal(map[string]any{"graph": reversed.Graph})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, flow.Analyze(parse(t, string(text))).Findings); diff != "" {
		t.Errorf("unexpected findings in another order (-want +got):\n%s", diff)
	}
}

// What a message calls the end of a link that exists, and the order of findings
// that have the same ID.
func TestMessagesOfLinks(t *testing.T) {
	t.Parallel()
	const ends = `, which is not in the graph. A session may end there.`
	const unused = `, which is not in the graph. No session uses the link.`
	samples{
		"from an entry point": {
			graph(`, {"id": "l2", "from": {"blockId": "e"}, "to": {"groupId": "n9"}}`, ``, ``),
			[]string{`dangling_link l2: The link from the entry point "start" leads to "n9"` + ends},
		},
		"from a node that names it": {
			graph(`, {"id": "l2", "to": {"groupId": "n9"}}, {"id": "l3", "from": {"blockId": "b1"}, "to": {"groupId": "n2"}}`, `, {"id": "n2", "title": "Two", "outgoingEdgeId": "l2"}`, ``),
			[]string{`dangling_link l2: The link from the node "Two" leads to "n9"` + ends},
		},
		"from a node that another names": {
			welcome(`, {"id": "l2", "from": {"blockId": "n2"}, "to": {"groupId": "n9"}}`, `"to": {"id": "n2"}`, `, {"id": "n2", "title": "Menu"}`),
			[]string{`dangling_link l2: The link from the node "Menu" leads to "n9"` + ends},
		},
		"to an item": {
			graph(`, {"id": "l2", "from": {"blockId": "b1"}, "to": {"groupId": "n0", "blockId": "b9"}}`, ``, ``),
			[]string{`dangling_link l2: The link from the node "n1" leads to the element "b9" in the node "n0", which does not contain it. A session may continue with a different element.`},
		},
		"one ID twice": {
			graph(`, {"id": "l1", "from": {"blockId": "b9"}, "to": {"groupId": "n1"}}, {"id": "l1", "from": {"blockId": "b8"}, "to": {"groupId": "n1"}}`, ``, ``),
			[]string{
				`duplicate_id l1: 3 links have the ID "l1". The API does not document which of them a session uses.`,
				`orphaned_link l1: The link to the node "n1" comes from "b8"` + unused,
				`orphaned_link l1: The link to the node "n1" comes from "b9"` + unused,
			},
		},
		"to one of two nodes": {
			graph(`, {"id": "l2", "from": {"blockId": "b9"}, "to": {"groupId": "n2"}}`, `, {"id": "n2", "title": "B"}, {"id": "n2", "title": "A"}`, ``),
			[]string{
				`duplicate_id n2: 2 nodes have the ID "n2". The API does not document which of them a session uses.`,
				`unreachable_node n2: No links or jumps lead from an entry point to the node "B", so no session reaches it.`,
				`orphaned_link l2: The link to the node "B" comes from "b9"` + unused,
			},
		},
		"from a node itself": {
			graph(``, `, {"id": "n2", "title": "Two", "outgoingEdgeId": "l9"}, {"id": "n1", "go": "n2"}`, ``),
			[]string{
				`missing_link n2: The link "l9", at which the node "Two" continues, is not in the graph. A session may end there.`,
				`duplicate_id n1: 2 nodes have the ID "n1". The API does not document which of them a session uses.`,
			},
		},
	}.checkMessages(t)
}

// One finding for each part of a conversation that sessions cannot reach.
func TestLostParts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ways string // pairs of nodes, of which the first leads to the second
		want []string
	}{
		"each":                       {"", []string{"a", "b", "c", "d"}},
		"chain":                      {"ab bc cd", []string{"a b c d"}},
		"chain in the other order":   {"dc cb ba", []string{"d a b c"}},
		"two into one":               {"ac bc cd", []string{"a c d", "b"}},
		"circle":                     {"bc cd db", []string{"a", "b c d"}},
		"circle behind a node":       {"ab ba ca", []string{"c a b", "d"}},
		"circles behind each other":  {"cd dc ab ba ca", []string{"c a b d"}},
		"circle that leads to a way": {"ab ba bc", []string{"a b c", "d"}},
		"to where sessions are":      {"an bn", []string{"a", "b", "c", "d"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := ""
			for _, id := range []string{"a", "b", "c", "d"} {
				var jumps []string
				for _, way := range strings.Fields(test.ways) {
					if way[:1] == id {
						jumps = append(jumps, strings.Replace(way[1:], "n", "n0", 1))
					}
				}
				nodes += `, {"id": "` + id + `", "go": ["` + strings.Join(jumps, `", "`) + `"]}`
			}
			var got []string
			for _, f := range flow.Analyze(parse(t, graph(``, nodes, ``))).Findings {
				if f.Kind == "unreachable_node" {
					got = append(got, strings.Join(f.IDs, " "))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("unexpected parts (-want +got):\n%s", diff)
			}
		})
	}
}

// graph puts entry point, links, nodes and variables into a definition that is
// sound but for what a test is about: e leads by l0 to n0, whose block b0 leads
// by l1 to n1.
func graph(links, nodes, memory string) string {
	return `{"graph": {
		"entrypoints": [{"id": "e", "type": "start"}],
		"links": [
			{"id": "l0", "from": {"blockId": "e"}, "to": {"groupId": "n0"}},
			{"id": "l1", "from": {"blockId": "b0", "itemId": null}, "to": {"groupId": "n1", "blockId": null}}` + links + `],
		"nodes": [{"id": "n0", "blocks": [{"id": "b0"}]}, {"id": "n1", "blocks": [{"id": "b1"}]}` + nodes + `],
		"memory": [` + memory + `]
	}}`
}

// A sound agent is not accused, however it is written, and a mistake is found
// in spite of what might hide it.
func TestShapes(t *testing.T) {
	t.Parallel()
	n2 := `, {"id": "n2", "title": "Two", "blocks": [{"id": "b2", "items": [{"id": "i2"}]}]}`
	n3 := `, {"id": "n3", "title": "Three"}`
	samples{
		"sound": {graph(``, ``, ``), nil},

		// Ways.
		"no way":                       {graph(``, n2, ``), []string{"unreachable_node n2 (Two)"}},
		"from an item without a block": {graph(`, {"id": "l2", "from": {"itemId": "b1"}, "to": {"groupId": "n2"}}`, n2, ``), nil},
		"from a node itself":           {graph(`, {"id": "l2", "from": {"blockId": "n1"}, "to": {"groupId": "n2"}}`, n2, ``), nil},
		"from where its ID stands":     {graph(`, {"id": "l2", "to": {"groupId": "n2"}}`, n2+`, {"id": "n1", "outgoingEdgeId": "l2"}`, ``), []string{"duplicate_id n1 ()"}},
		"to a block of its group":      {graph(`, {"id": "l2", "from": {"blockId": "b1"}, "to": {"blockId": "b2", "groupId": "n2"}}`, n2, ``), nil},
		"to an unknown block":          {graph(`, {"id": "l2", "from": {"blockId": "b1"}, "to": {"blockId": "b9", "groupId": "n2"}}`, n2, ``), []string{"dangling_link l2 ()"}},
		"in a circle":                  {graph(`, {"id": "l2", "from": {"blockId": "b2"}, "to": {"groupId": "n3"}}`, n2+`, {"id": "n3", "title": "Three", "go": "n2"}`, ``), []string{"unreachable_node n2 (Two)"}},

		// Jumps.
		"jump":                        {graph(``, n2+`, {"id": "n1", "options": {"groupId": "n2"}}`, ``), []string{"duplicate_id n1 ()"}},
		"jump in code":                {graph(``, n2+`, {"id": "n1", "code": "go('n2')"}`, ``), []string{"duplicate_id n1 ()"}},
		"jump by an object with ID":   {graph(``, n2+`, {"id": "n1", "to": {"id": "n2"}}`, ``), []string{"duplicate_id n1 ()"}},
		"a text that has an ID in it": {graph(``, n2+`, {"id": "n1", "text": "see n2"}`, ``), []string{"duplicate_id n1 ()", "unreachable_node n2 (Two)"}},
		"a node that names itself":    {graph(``, `, {"id": "n2", "title": "Two", "self": "n2"}`, ``), []string{"unreachable_node n2 (Two)"}},
		"a node that starts itself":   {graph(``, `, {"id": "n2", "blocks": [{"type": "start"}], "go": "n3"}`+n3, ``), []string{"unreachable_node n2 ()"}},

		// IDs.
		"number for an ID":    {`{"graph":{"entrypoints":[{"id":1,"outgoingEdgeId":7}],"links":[{"id":7,"to":{"groupId":2}},{"id":8,"from":{"blockId":5},"to":{"groupId":"3"}}],"nodes":[{"id":2,"b":[{"id":5,"outgoingEdgeId":8}]},{"id":3,"go":4},{"id":4}]}}`, nil},
		"nodes without an ID": {graph(``, `, {"title": "x"}, {"id": null}, {"id": ""}, {"id": {}}, "n9", 5, null, []`, ``), nil},
		"duplicates":          {graph(`, {"id": "l1", "from": {"blockId": "b0"}, "to": {"groupId": "n1"}}`, `, {"id": "n1", "title": "One"}`, ``), []string{"duplicate_id l1 ()", "duplicate_id n1 ()"}},
	}.check(t)
}

func TestEntrypoints(t *testing.T) {
	t.Parallel()
	with := func(entrypoints string) string {
		return `{"graph": {"entrypoints": ` + entrypoints + `,
			"links": [{"id": "l0", "from": {"blockId": "e", "eventId": "f"}, "to": {"groupId": "n0"}}, {"id": "l1", "from": {"blockId": "b0"}, "to": {"groupId": "n1"}}],
			"nodes": [{"id": "n0", "blocks": [{"id": "b0", "outgoingEdgeId": "l1"}]}, {"id": "n1"}]}}`
	}
	samples{
		"by the link's ID":         {with(`[{"id": "x", "outgoingEdgeId": "l0"}]`), nil},
		"by its own ID":            {with(`[{"id": "e"}]`), nil},
		"by another key":           {with(`[{"id": "f", "type": "start"}]`), []string{"entrypoint_without_link f (start)", "orphaned_link l0 ()"}},
		"by a node's ID":           {with(`[{"id": "x", "opens": {"groupId": "n0"}}]`), []string{"orphaned_link l0 ()"}},
		"one of two":               {with(`[{"id": "e", "type": "start", "outgoingEdgeId": "l0"}, {"id": "y", "type": "start"}]`), []string{"entrypoint_without_link y (start)"}},
		"one of an event":          {with(`[{"id": "e", "type": "start", "outgoingEdgeId": "l0"}, {"id": "y", "type": "event"}, {"id": "z"}]`), nil},
		"a link that is not there": {with(`[{"id": "e", "outgoingEdgeId": "l0"}, {"id": "y", "outgoingEdgeId": "l9"}]`), []string{"missing_link y ()"}},
		// One cause accuses one thing, not every node.
		"none leads anywhere": {with(`[{"id": "y", "type": "start", "outgoingEdgeId": null}]`), []string{"entrypoint_without_link y (start)", "orphaned_link l0 ()"}},
		"two with one ID":     {with(`[{"id": "e", "type": "b", "outgoingEdgeId": "l0"}, {"id": "e", "type": "a"}]`), []string{"duplicate_id e (b)"}},
		"no entry points":     {with(`[]`), []string{"graph_not_understood ()", "orphaned_link l0 ()"}},
	}.check(t)
}
