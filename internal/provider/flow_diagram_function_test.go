// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

const diagramClasses = `classDef unreachable stroke-dasharray:5 5
classDef missing stroke:#e5534b,stroke-width:2px
classDef orphaned stroke:#8c959f,stroke-width:2px,stroke-dasharray:3 3
`

const brokenDiagram = `flowchart TD
e_ent_start(["start"])
e_ent_start --> n_grp_hello
n_grp_hello["Hello"]
m_grp_help{{"Missing#58; grp#95;help"}}:::missing
n_grp_hello -->|"Help #60;b#62;"| m_grp_help
n_grp_old["Old"]:::unreachable
` + diagramClasses

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
		"empty":  {`{"graph": {"nodes": null}}`, "flowchart TD\nnote[\"The graph is empty.\"]\n" + diagramClasses},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, failure := newTestProvider(t).call("flow_diagram", test.definition)
			if failure != nil {
				t.Fatal(failure.Text)
			}
			if diff := cmp.Diff(any(test.want), got); diff != "" {
				t.Errorf("unexpected diagram (-want +got):\n%s", diff)
			}
		})
	}
}

// With an earlier definition, the diagram shows changes. With null, it is the
// diagram without one.
func TestFlowDiagramOfChanges(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	if got, failure := p.call("flow_diagram", brokenDefinition, nil); failure != nil || got != brokenDiagram {
		t.Errorf("got %v, %+v", got, failure)
	}
	got, failure := p.call("flow_diagram", brokenDefinition, strings.Replace(brokenDefinition, `"Old"`, `"Older"`, 1))
	if failure != nil || !strings.Contains(got.(string), "class n_grp_old changed\n") {
		t.Errorf("got %v, %+v", got, failure)
	}
	_, failure = p.call("flow_diagram", brokenDefinition, nil, brokenDefinition)
	if failure == nil || *failure.FunctionArgument != 2 || failure.Text != "pass at most one earlier definition" {
		t.Errorf("got the error %+v", failure)
	}
}

// A large conversation does not fail a plan.
func TestFlowDiagramIsTooLarge(t *testing.T) {
	t.Parallel()
	long := `{"graph": {"nodes": [{"id": "n"}, {"id": "` + strings.Repeat("x", 60_000) + `"}]}}`
	want := "flowchart TD\nnote[\"The flow, with 2 nodes and 0 links, is too large for a diagram.\"]\n" + diagramClasses
	got, failure := newTestProvider(t).call("flow_diagram", long)
	if failure != nil {
		t.Fatal(failure.Text)
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("unexpected diagram (-want +got):\n%s", diff)
	}
}
