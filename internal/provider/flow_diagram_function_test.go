// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
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
