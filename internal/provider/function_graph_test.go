// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/convo/terraform-provider-convo/internal/devserver"
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
		{"id": "grp_hello", "title": "Hello", "blocks": [{"id": "blk_ask", "items": [{"id": "itm_help", "content": "Help <b>"}]}]},
		{"id": "grp_old", "title": "Old"}
	]
}}`

const brokenDiagram = `flowchart TD
e_ent_start(["start"])
e_ent_start --> n_grp_hello
n_grp_hello["Hello"]
m_grp_help{{"Missing#58; grp#95;help"}}:::missing
n_grp_hello -->|"Help #60;b#62;"| m_grp_help
n_grp_old["Old"]:::unreachable
classDef unreachable stroke-dasharray:5 5
classDef missing stroke:red
`

func brokenFindings() list {
	return list{
		object{"kind": "dangling_link", "id": "lnk_help", "title": "Hello", "message": `The link from the node "Hello" leads to "grp_help", which is not in the graph.`},
		object{"kind": "unreachable_node", "id": "grp_old", "title": "Old", "message": `No links or jumps lead from an entry point to the node "Old".`},
	}
}

// call calls a function of the provider, which need not be configured.
func (p *protocol) call(name, definition string) (any, *tfprotov6.FunctionError) {
	p.t.Helper()
	argument, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, definition))
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := p.server.CallFunction(p.ctx, &tfprotov6.CallFunctionRequest{Name: name, Arguments: []*tfprotov6.DynamicValue{&argument}})
	if err != nil {
		p.t.Fatal(err)
	}
	if resp.Error != nil {
		return nil, resp.Error
	}
	value, err := resp.Result.Unmarshal(p.schema.Functions[name].Return.Type)
	if err != nil {
		p.t.Fatal(err)
	}
	return fromTerraform(p.t, value), nil
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		function, definition string
		want                 any
	}{
		"findings":          {"graph_findings", brokenDefinition, brokenFindings()},
		"no findings":       {"graph_findings", `{"graph": {}}`, list{}},
		"diagram":           {"flow_diagram", brokenDefinition, brokenDiagram},
		"diagram of little": {"flow_diagram", `{"graph": {"nodes": null}}`, "flowchart TD\nnote[\"The graph is empty.\"]\nclassDef unreachable stroke-dasharray:5 5\nclassDef missing stroke:red\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, failure := newProtocol(t).call(test.function, test.definition)
			if failure != nil {
				t.Fatal(failure.Text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("unexpected result (-want +got):\n%s", diff)
			}
		})
	}
}

// An error refers to the argument and does not quote it.
func TestFunctionErrors(t *testing.T) {
	t.Parallel()
	const notJSON = "the definition is not valid JSON. If it is a YAML file, pass jsonencode(yamldecode(file(...)))"
	const whole = ". Pass the whole definition, such as the definition_json attribute of convo_agent. Do not pass part of a definition, or an API response that contains one"
	tests := map[string]struct{ definition, want string }{
		"empty":    {``, notJSON},
		"yaml":     {"graph:\n  secret: 1\n", notJSON},
		"cut off":  {`{"graph": {"secret": "`, notJSON},
		"array":    {`["secret"]`, "the definition is not a JSON object" + whole},
		"response": {`{"agent": {"graph": {"secret": 1}}}`, "the definition has no graph object" + whole},
		"null":     {`{"graph": null, "secret": 1}`, "the definition has no graph object" + whole},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, function := range []string{"graph_findings", "flow_diagram"} {
				_, failure := newProtocol(t).call(function, test.definition)
				if failure == nil || failure.Text != test.want || failure.FunctionArgument == nil || *failure.FunctionArgument != 0 {
					t.Errorf("%s: got the error %+v, want %q", function, failure, test.want)
				}
			}
		})
	}
	long := `{"graph": {"nodes": [{"id": "` + strings.Repeat("secret", 10_000) + `"}]}}`
	_, failure := newProtocol(t).call("flow_diagram", long)
	if failure == nil || *failure.FunctionArgument != 0 || !regexp.MustCompile(`^the diagram has 60\d{3} characters, more than the 50000 that Mermaid accepts$`).MatchString(failure.Text) {
		t.Errorf("got the error %+v", failure)
	}
}

// Every definition of the reference service can be analyzed and drawn.
func TestFunctionsOfEveryAgent(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	for _, agent := range devserver.DefaultSeed().Agents {
		if agent.WorkspaceID != "ws_larkspur01" {
			continue // The other workspace's definitions lack what can be missing, graphs included.
		}
		for _, function := range []string{"graph_findings", "flow_diagram"} {
			if _, failure := p.call(function, string(agent.Definition)); failure != nil {
				t.Errorf("%s of %s: %s", function, agent.ID, failure.Text)
			}
		}
	}
}

// functionsConfiguration is the provider block that a configuration with
// functions alone needs: OpenTofu before 1.11 configures the provider before it
// calls one.
func functionsConfiguration() string {
	if cliIsOpenTofu && !cliHas("", "1.11") {
		return "provider \"convo\" {\n  base_url = \"https://service.invalid\"\n  token = \"unused\"\n}\n"
	}
	return ""
}

// The CLI calls functions without a service and without a configuration of the
// provider, also of a definition that is known only after something is applied.
// One that is too old for them takes the provider, and refuses only the call.
func TestAccFunctions(t *testing.T) {
	t.Parallel()
	configuration := functionsConfiguration() + "locals {\n  definition = <<-EOT\n" + brokenDefinition + "\nEOT\n}\n" + `
output "findings" {
  value = provider::convo::graph_findings(local.definition)
}
output "diagram" {
  value = provider::convo::flow_diagram(local.definition)
}
resource "terraform_data" "later" {
  input = local.definition
}
output "later" {
  value = provider::convo::graph_findings(terraform_data.later.output)
}
output "kept" {
  value = provider::convo::graph_findings(jsonencode(yamldecode(yamlencode(jsondecode(local.definition)))))
}
`
	if !cliHas("1.8", "1.7") {
		acceptance(t, resource.TestCase{Steps: []resource.TestStep{
			{Config: configuration, ExpectError: regexp.MustCompile(`provider::convo::graph_findings`)},
			{Config: providerBlock(startService(t), devserver.TokenRead) + "data \"convo_agents\" \"all\" {}\n"},
		}})
		return
	}
	acceptance(t, resource.TestCase{Steps: []resource.TestStep{
		{
			Config:      functionsConfiguration() + "output \"x\" {\n  value = provider::convo::graph_findings(\"graph: secret\")\n}\n",
			ExpectError: regexp.MustCompile(`(?s)Invalid value for "definition" parameter: the definition is not\s+valid\s+JSON\.\s+If\s+it\s+is\s+a\s+YAML\s+file,\s+pass\s+jsonencode\(yamldecode\(file\(\.\.\.\)\)\)\.`),
		},
		{
			Config: configuration,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("findings", known(t, brokenFindings())),
				statecheck.ExpectKnownOutputValue("diagram", known(t, brokenDiagram)),
				statecheck.ExpectKnownOutputValue("later", known(t, brokenFindings())),
				statecheck.ExpectKnownOutputValue("kept", known(t, brokenFindings())),
			},
		},
	}})
}
