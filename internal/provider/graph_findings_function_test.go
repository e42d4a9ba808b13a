// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"
)

// brokenDefinition has a link to a node that does not exist, and a node that
// no link leads to.
const brokenDefinition = `{"graph": {
	"entrypoints": [{"id": "ent_start", "type": "start", "outgoingEdgeId": "lnk_start"}],
	"links": [
		{"id": "lnk_start", "from": {"blockId": "blk_start"}, "to": {"groupId": "grp_hello"}},
		{"id": "lnk_help", "from": {"blockId": "blk_ask", "itemId": "itm_help"}, "to": {"groupId": "grp_help"}}
	],
	"nodes": [
		{"id": "grp_hello", "title": "Hello", "blocks": [{"id": "blk_ask", "items": [{"id": "itm_help", "content": "Help <b>", "outgoingEdgeId": "lnk_help"}]}]},
		{"id": "grp_old", "title": "Old"}
	]
}}`

// definitionLocals has brokenDefinition and repairedDefinition.
var definitionLocals = fmt.Sprintf("locals {\n  broken   = %q\n  repaired = %q\n}\n", brokenDefinition, repairedDefinition)

// nullDefinition is the error about a definition that convo_agent was not told to include.
const nullDefinition = "the definition is null. If it comes from the data source convo_agent, set include_definition_json = true there"

func TestAccGraphFindingsFunction(t *testing.T) {
	t.Parallel()
	testAcc(t, startService(t), functions,
		failing(`output "test" { value = provider::convo::graph_findings(null) }`, nullDefinition),
		returning(definitionLocals+`
output "test" {
  value = {
    broken = provider::convo::graph_findings(local.broken)
    draft  = provider::convo::graph_findings(jsonencode({ graph = {}, exposure = { state = { published = false } } }))
  }
}
`, object{
			"broken": list{
				object{
					"kind": "dangling_link", "id": "lnk_help", "ids": list{"lnk_help"}, "title": "Hello",
					"message": `The link from the node "Hello" leads to "grp_help", which is not in the graph. A session may end there.`,
				},
				object{
					"kind": "unreachable_node", "id": "grp_old", "ids": list{"grp_old"}, "title": "Old",
					"message": `No links or jumps lead from an entry point to the node "Old", so no session reaches it.`,
				},
			},
			"draft": list{},
		}),
	)
}

// An error refers to the argument and does not quote it.
func TestDefinitionErrors(t *testing.T) {
	t.Parallel()
	const (
		invalid = `{"agent": {"graph": {"secret": 1}}}`
		noGraph = "the definition has no graph object. Pass the whole definition of an agent with a graph, such as the definition_json attribute " +
			"of convo_agent. Do not pass part of a definition, or an API response that contains one"
	)
	for i, call := range []struct {
		function  string
		arguments []any
		wrong     int64 // the argument with the definition
		want      string
	}{
		{"graph_findings", []any{invalid}, 0, noGraph},
		{"graph_findings", []any{`{"secret`}, 0, "the definition cannot be read: the JSON text ends in the middle of a value"},
		{"flow_diagram", []any{"agents/orders.json"}, 0, "the definition is not a JSON object. Pass the text of a whole definition, such as definition_json of convo_agent, or " +
			"file(...). To read YAML, use jsonencode(yamldecode(file(...)))"},
		{"flow_diagram", []any{brokenDefinition, invalid}, 1, noGraph},
		{"definition_diff", []any{invalid, brokenDefinition}, 0, noGraph},
		{"definition_diff", []any{invalid, nil}, 0, noGraph},
		{"flow_diagram", []any{brokenDefinition, nil, brokenDefinition}, 2, "pass at most one earlier definition"},
	} {
		_, failure := newTestProvider(t).call(call.function, call.arguments...)
		if failure == nil || failure.Text != call.want || failure.FunctionArgument == nil || *failure.FunctionArgument != call.wrong {
			t.Errorf("%d: got the error %+v, want %q", i, failure, call.want)
		}
	}
}
