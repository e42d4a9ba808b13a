// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"
)

// A part of an argument that is unknown until the apply makes the result unknown in the plan.
func TestAccAuditReportFunction_unknown(t *testing.T) {
	t.Parallel()
	testAcc(t, startService(t), functions, returning(`
resource "terraform_data" "test" {
  input = "No owner."
}
locals {
  audit  = jsonencode({ workspace = {}, members = [], emails_by_role = {}, agents = {} })
  report = provider::convo::audit_report(local.audit, null, [{ level = "error", rule = "owners", id = null, message = terraform_data.test.output }])
}
output "test" {
  value = [for finding in local.report.findings : finding.message if finding.rule == "owners"]
}
`, list{"No owner."}))
}

func TestAccAuditReportFunction(t *testing.T) {
	t.Parallel()
	const config = `
data "convo_workspace_audit" "test" {
  workspace_id = "larkspur"
  agent_ids    = ["agt_returns"]
}
locals {
  own    = { level = "error", rule = "owners", id = "agt_returns", message = "No owner." }
  record = { record = %q, changes = null, accepted = { "owners/agt_returns" = "It has none." } }
  report = provider::convo::audit_report(jsonencode(%s), null, [local.own])
  odd    = provider::convo::audit_report(jsonencode(data.convo_workspace_audit.test), local.record, [local.own, merge(local.own, { message = null }), null])
}
output "test" {
  value = merge(local.report, {
    odd      = local.odd.errors
    accepted = [for finding in local.odd.findings : finding if finding.level == "accepted"]
  })
}
`
	const advice = "\n  What to do: https://github.com/convo/terraform-provider-convo/blob/main/docs/guides/when-an-audit-fails.md"
	const needs = " in policies needs a rule that is not built in, a message, and the level error or warning. It has the rule "
	testAcc(t, startService(t), functions,
		failing(fmt.Sprintf(config, "", "data.convo_workspace_audit.test.agents"),
			"the value lacks these attributes of an audit, which an override in a test must contain: workspace, members, emails_by_role, agents"),
		failing(strings.Replace(fmt.Sprintf(config, "", "data.convo_workspace_audit.test"), `level = "error"`, `level = "eror"`, 1),
			`the finding with index 0, of the rule "owners", has the level "eror", which must be error or warning`),
		failing(fmt.Sprintf(config, "secret", "data.convo_workspace_audit.test"),
			"The value of record is damaged, or was not written by this resource. Restore the state from a backup. Under mock_provider of terraform test, set record = \"\""),
		returning(fmt.Sprintf(config, "", "data.convo_workspace_audit.test"), object{
			"odd": list{
				"policies\n  Returns & refunds (agt_returns): The finding with index 1" + needs + `"owners", the message "", and the level "error".`,
				"policies\n  The finding with index 2" + needs + `"", the message "", and the level "".` + advice,
			},
			"accepted": list{object{"level": "accepted", "rule": "owners", "id": "agt_returns", "name": "Returns & refunds", "message": "No owner.",
				"key": "owners/agt_returns", "reason": "It has none."}},
			"errors":   list{"owners\n  Returns & refunds (agt_returns): No owner." + advice},
			"warnings": list{"workspace_past_due\n  A payment of the workspace is past due."},
			"findings": list{
				object{"level": "error", "rule": "owners", "id": "agt_returns", "name": "Returns & refunds", "message": "No owner.", "key": "owners/agt_returns", "reason": ""},
				object{"level": "warning", "rule": "workspace_past_due", "id": "", "name": "", "message": "A payment of the workspace is past due.",
					"key": "workspace_past_due", "reason": ""},
			},
			"markdown": strings.NewReplacer("~", "`", "°", "\u00a0").Replace(expectedReport),
		}),
	)
}

const expectedReport = `# Audit of Larkspur Bicycles

**❌ Failed: 1 error, 1 warning, 0 accepted**

[What to do when an audit fails](https://github.com/convo/terraform-provider-convo/blob/main/docs/guides/when-an-audit-fails.md).

| Level | Concerns | Finding | Rule |
|---|---|---|---|
| ❌°Error | Returns \& refunds (agt\_returns) | No owner. | ~owners~ |
| ⚠️°Warning | – | A payment of the workspace is past due. | ~workspace_past_due~ |

## Changes of access

There is no record to compare with.

## Missing data

Only the agents in agent\_ids were read.

## Members

| Role | Number | Email addresses |
|---|---|---|
| ADMIN | 2 | adaeze@larkspur-bicycles.example, soren@larkspur-bicycles.example |
| BILLING | 1 | ilija@larkspur-bicycles.example |
| GUEST | 2 | workshop@larkspur-bicycles.example, zoe@oddspoke-agency.example |
| MEMBER | 3 | beatriz@larkspur-bicycles.example, hanako@larkspur-bicycles.example, mirela@larkspur-bicycles.example |

## Agents

| Agent | ID | State | Address | Sharing | Collaborators | Hosts | Credentials | Labels |
|---|---|---|---|---|---|---|---|---|
| Returns \& refunds | agt\_returns | published | ~https://chat.larkspur-bicycles.example/returns~, chat.larkspur-bicycles.example | ` +
	`shared | \{"invited":"ulrich@oddspoke-agency.example","since":1773300000\}, \{"type":"READ","userId":"usr\_zoe"\} | – | cred\_messaging\_eu | größe, returns, service |
`
