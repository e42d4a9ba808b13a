// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

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

func TestAccFlowDiagramFunction(t *testing.T) {
	t.Parallel()
	if !cliHas("1.8", "1.7") {
		return // TestAccGraphFindingsFunction covers a CLI without functions.
	}
	resource.UnitTest(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: functionsConfiguration() + `
output "test" {
  value = provider::convo::flow_diagram(<<-EOT
` + brokenDefinition + `
EOT
  )
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("test", knownvalue.StringExact(brokenDiagram)),
			},
		}},
	})
}

func TestFlowDiagram(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ definition, want string }{
		"broken": {brokenDefinition, brokenDiagram},
		"empty":  {`{"graph": {"nodes": null}}`, "flowchart TD\nnote[\"The graph is empty.\"]\nclassDef unreachable stroke-dasharray:5 5\nclassDef missing stroke:red\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, failure := newProtocol(t).call("flow_diagram", test.definition)
			if failure != nil {
				t.Fatal(failure.Text)
			}
			if diff := cmp.Diff(any(test.want), got); diff != "" {
				t.Errorf("unexpected diagram (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFlowDiagramIsTooLarge(t *testing.T) {
	t.Parallel()
	long := `{"graph": {"nodes": [{"id": "` + strings.Repeat("secret", 10_000) + `"}]}}`
	_, failure := newProtocol(t).call("flow_diagram", long)
	if failure == nil || *failure.FunctionArgument != 0 || !regexp.MustCompile(`^the diagram has 60\d{3} characters, more than the 50000 that Mermaid accepts$`).MatchString(failure.Text) {
		t.Errorf("got the error %+v", failure)
	}
}
