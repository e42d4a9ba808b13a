// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Variables are used wherever their ID or their name can be read.
func TestVariables(t *testing.T) {
	t.Parallel()
	const memory = `{"id": "v1", "name": "First name", "value": "x"}, {"id": "v2", "name": "used"}, {}, {"id": null, "name": ""}`
	unused := []string{"unused_variable v1 (First name)"}
	tests := map[string]struct {
		text      string // of a node that uses the other variable
		want      []string
		undefined []string
	}{
		"not at all":       {`"x"`, unused, nil},
		"in prose":         {`"What is your First name?"`, unused, nil},
		"another case":     {`"{{first name}}"`, unused, []string{"first name"}},
		"by ID":            {`{"variableId": "v1"}`, nil, nil},
		"by name":          {`{"save to": "First name"}`, nil, nil},
		"in braces":        {`"Hi {{First name}}!"`, nil, nil},
		"with white space": {`"{{ First name }} {{ x }}"`, nil, []string{"First name", "x"}},
		"in code":          {`"setVariable('First name', 1)"`, nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			definition := graph(``, `, {"id": "n1", "by": "{{used}}", "text": `+test.text+`}`, memory)
			want := append([]string{"duplicate_id n1 ()"}, test.want...)
			for _, name := range test.undefined {
				want = slices.Insert(want, len(want)-len(test.want), "undefined_variable n1 ("+name+")")
			}
			if diff := cmp.Diff(want, found(t, definition)); diff != "" {
				t.Errorf("unexpected findings (-want +got):\n%s", diff)
			}
		})
	}
}

// Values of the definition outside the nodes can use a variable, and name a
// node that is a way in, but not everything is a use.
func TestOutsideTheNodes(t *testing.T) {
	t.Parallel()
	all := []string{"unreachable_node n2 (Two)", "unused_variable v1 (old)"}
	tests := map[string]struct {
		place string
		want  []string
	}{
		"nowhere":    {`"profile": {"title": "old"}`, []string{"unreachable_node n2 (Two)"}},
		"execution":  {`"execution": {"rules": {"fallback": "n2", "greeting": "{{old}}"}}`, nil},
		"a note":     {`"canvas": {"annotations": [{"content": "{{old}} n2"}]}`, all},
		"odd values": {`"canvas": null, "telemetry": 1, "ref": "x"`, all},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			definition := graph(``, `, {"id": "n2", "title": "Two", "text": "{{used}}"}`, `{"id": "v1", "name": "old"}, {"id": "v2", "name": "used"}`)
			definition = strings.TrimSuffix(definition, "}") + ", " + test.place + "}"
			if diff := cmp.Diff(test.want, found(t, definition)); diff != "" {
				t.Errorf("unexpected findings (-want +got):\n%s", diff)
			}
		})
	}
	// In an entry point.
	definition := strings.Replace(graph(``, `, {"id": "n1", "t": "v2"}`, `{"id": "v1", "name": "old"}, {"id": "v2"}`), `"start"`, `"{{old}}"`, 1)
	if diff := cmp.Diff([]string{"duplicate_id n1 ()"}, found(t, definition)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", definition, diff)
	}
}

// Where an assumption never holds, nothing that rests on it is reported.
func TestGraphsThatAreNotUnderstood(t *testing.T) {
	t.Parallel()
	const (
		targets = "graph_not_understood : No link leads to the ID of a node. Only duplicate IDs of links, variables, and entry points are reported."
		sources = "graph_not_understood : No link comes from something with an ID inside a node. Unreachable nodes are not reported."
		starts  = "graph_not_understood : The graph has no entry points. Unreachable nodes are not reported."
		empty   = "empty_graph : The definition's graph has no nodes. A session that uses the definition ends at once."
		twice   = ". The API does not document which of them a session uses."
	)
	samples{
		"empty":       {`{"graph": {}}`, []string{empty}},
		"fresh":       {`{"graph": {"entrypoints": [{"id": "e", "type": "start", "outgoingEdgeId": null}], "links": [], "nodes": []}}`, []string{empty}},
		"no links":    {`{"graph": {"nodes": [{"id": "n0"}], "entrypoints": [{"id": "e"}]}}`, []string{targets}},
		"nodes by ID": {`{"graph": {"links": [{"id": "l", "to": {"groupId": "n0"}}], "nodes": {"n0": {}}}}`, []string{targets}},
		"still duplicates": {`{"graph": {"links": [{"id": "l"}, {"id": "l"}], "nodes": [{"id": "n"}, {"id": "n"}], "memory": [{"id": "v"}, {"id": "v"}], "entrypoints": [{"id": "e"}, {"id": "e"}]}}`, []string{
			targets, `duplicate_id e: 2 entry points have the ID "e"` + twice, `duplicate_id l: 2 links have the ID "l"` + twice, `duplicate_id v: 2 variables have the ID "v"` + twice,
		}},
		"sources": {`{"graph": {"entrypoints": [{"id": "e", "outgoingEdgeId": "l0"}], "nodes": [{"id": "n0", "blocks": [{"key": "b0"}]}, {"id": "n1"}],
			"links": [{"id": "l0", "to": {"groupId": "n0"}}, {"id": "l1", "from": {"blockId": "b0"}, "to": {"groupId": "n1"}}, {"id": "l2", "from": {"blockId": "b0"}, "to": {"groupId": "gone"}}]}}`, []string{`dangling_link l2: The link leads to "gone", which is not in the graph. A session may end there.`, sources}},
		"only entry points have links": {`{"graph": {"entrypoints": [{"id": "e", "outgoingEdgeId": "l0"}], "nodes": [{"id": "n0"}, {"id": "n1"}], "links": [{"id": "l0", "to": {"groupId": "n0"}}]}}`, []string{`unreachable_node n1: No links or jumps lead from an entry point to the node "n1", so no session reaches it.`}},
		"starts":                       {`{"graph": {"nodes": [{"id": "n0", "blocks": [{"id": "b0", "type": "start"}]}, {"id": "n1"}, {"id": "n2"}], "links": [{"id": "l1", "from": {"blockId": "b0"}, "to": {"groupId": "n1"}}]}}`, []string{`unreachable_node n2: No links or jumps lead from a start node to the node "n2", so no session reaches it.`}},
		"no start":                     {`{"graph": {"nodes": [{"id": "n0", "blocks": [{"id": "b0"}]}, {"id": "n1"}], "links": [{"id": "l1", "from": {"blockId": "b0"}, "to": {"groupId": "n1"}}]}}`, []string{starts}},
		"no variable is used":          {`{"graph": {"memory": [{"id": "v", "name": "v"}], "entrypoints": [{"id": "e", "outgoingEdgeId": "l0"}], "nodes": [{"id": "n0", "text": "${v}"}], "links": [{"id": "l0", "to": {"groupId": "n0"}}]}}`, nil},
	}.checkMessages(t)
}
