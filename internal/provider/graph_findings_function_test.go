// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
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

// functionsConfiguration is the provider block that a configuration with
// functions alone needs: OpenTofu before 1.11 configures the provider before it
// calls one.
func functionsConfiguration() string {
	if cliIsOpenTofu && !cliHas("", "1.11") {
		return "provider \"convo\" {\n  base_url = \"https://service.invalid\"\n  token = \"unused\"\n}\n"
	}
	return ""
}

func TestAccGraphFindingsFunction(t *testing.T) {
	t.Parallel()
	needsCLI(t, "functions", "1.8", "1.7")
	findings := knownvalue.ListExact([]knownvalue.Check{
		knownvalue.ObjectExact(map[string]knownvalue.Check{
			"kind":    knownvalue.StringExact("dangling_link"),
			"id":      knownvalue.StringExact("lnk_help"),
			"ids":     knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("lnk_help")}),
			"title":   knownvalue.StringExact("Hello"),
			"message": knownvalue.StringExact(`The link from the node "Hello" leads to "grp_help", which is not in the graph. A session may end there.`),
		}),
		knownvalue.ObjectExact(map[string]knownvalue.Check{
			"kind":    knownvalue.StringExact("unreachable_node"),
			"id":      knownvalue.StringExact("grp_old"),
			"ids":     knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("grp_old")}),
			"title":   knownvalue.StringExact("Old"),
			"message": knownvalue.StringExact(`No links or jumps lead from an entry point to the node "Old", so no session reaches it.`),
		}),
	})
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config:      functionsConfiguration() + "output \"test\" {\n  value = provider::convo::graph_findings(\"secret: [\")\n}\n",
				ExpectError: regexp.MustCompile(`Invalid value for "definition" parameter: the definition is not\s+valid\s+YAML:\s+line\s+1:\s+did\s+not\s+find\s+expected\s+node\s+content\.`),
			},
			{
				Config: functionsConfiguration() + "locals {\n  definition = <<-EOT\n" + brokenDefinition + "\nEOT\n}\n" + `
output "known" {
  value = provider::convo::graph_findings(local.definition)
}
output "none" {
  value = provider::convo::graph_findings(jsonencode({ graph = {}, exposure = { state = { published = false } } }))
}
output "yaml" {
  value = provider::convo::graph_findings(yamlencode(jsondecode(local.definition)))
}
# A definition that is known only after the apply.
resource "terraform_data" "test" {
  input = local.definition
}
output "unknown" {
  value = provider::convo::graph_findings(terraform_data.test.output)
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("known", findings),
					statecheck.ExpectKnownOutputValue("none", knownvalue.ListExact(nil)),
					statecheck.ExpectKnownOutputValue("yaml", findings),
					statecheck.ExpectKnownOutputValue("unknown", findings),
				},
			},
		},
	})
}

// call calls a function of the provider, which need not be configured.
func (p *testProvider) call(name string, definitions ...any) (any, *tfprotov6.FunctionError) {
	p.t.Helper()
	var arguments []*tfprotov6.DynamicValue
	for _, definition := range definitions {
		argument, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, definition))
		if err != nil {
			p.t.Fatal(err)
		}
		arguments = append(arguments, &argument)
	}
	resp := rpc(p, p.server.CallFunction, &tfprotov6.CallFunctionRequest{Name: name, Arguments: arguments})
	if resp.Error != nil {
		return nil, resp.Error
	}
	value, err := resp.Result.Unmarshal(p.schema.Functions[name].Return.Type)
	if err != nil {
		p.t.Fatal(err)
	}
	return fromTerraform(p.t, value), nil
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
		{"flow_diagram", []any{invalid}, 0, noGraph},
		{"flow_diagram", []any{brokenDefinition, invalid}, 1, noGraph},
		{"definition_diff", []any{invalid, brokenDefinition}, 0, noGraph},
		{"definition_diff", []any{invalid, nil}, 0, noGraph},
	} {
		_, failure := newTestProvider(t).call(call.function, call.arguments...)
		if failure == nil || failure.Text != call.want || failure.FunctionArgument == nil || *failure.FunctionArgument != call.wrong {
			t.Errorf("%d: got the error %+v, want %q", i, failure, call.want)
		}
	}
}
