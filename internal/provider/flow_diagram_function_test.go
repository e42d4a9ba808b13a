// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
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

// With an earlier definition, the diagram shows changes. With null, it is the
// diagram without one.
func TestAccFlowDiagramFunction(t *testing.T) {
	t.Parallel()
	testAcc(t, startService(t), functions,
		failing(`output "test" { value = provider::convo::flow_diagram(null) }`, nullDefinition),
		returning(definitionLocals+`
output "test" {
  value = {
    plain   = provider::convo::flow_diagram(local.broken)
    null    = provider::convo::flow_diagram(local.broken, null)
    changed = split("\n", provider::convo::flow_diagram(local.broken, replace(local.broken, "Old", "Older")))
  }
}
`, object{
			"plain": brokenDiagram, "null": brokenDiagram,
			"changed": knownvalue.ListPartial(map[int]knownvalue.Check{7: known("class n_grp_old changed")}),
		}),
	)
}
