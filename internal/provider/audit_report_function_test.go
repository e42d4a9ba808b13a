// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// audited is the first argument of the functions for the development server's workspace.
func audited(t *testing.T, s service) string {
	t.Helper()
	audit := configuredProvider(t, s).mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"last30Days"}})
	text, err := json.Marshal(audit)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAccAuditReportFunction(t *testing.T) {
	t.Parallel()
	config := func(audit string) string {
		return `
data "convo_workspace_audit" "test" {
  workspace_id = "larkspur"
  agent_ids    = ["agt_returns"]
}
locals {
  own    = { level = "error", rule = "owners", id = "agt_returns", message = "No owner." }
  report = provider::convo::audit_report(` + audit + `, null, [local.own])
}
output "test" {
  value = local.report
}
`
	}
	testAcc(t, startService(t), functions,
		failing(config("jsonencode(data.convo_workspace_audit.test.agents)"), "the value lacks these attributes of an audit, which an override in a test must contain: workspace, members, emails_by_role, agents"),
		returning(config("jsonencode(data.convo_workspace_audit.test)"), object{
			"errors":   list{"owners\n  Returns & refunds (agt_returns): No owner."},
			"warnings": list{"workspace_past_due\n  A payment of the workspace is past due."},
			"findings": list{
				object{"level": "error", "rule": "owners", "id": "agt_returns", "name": "Returns & refunds", "message": "No owner.", "key": "owners/agt_returns", "reason": ""},
				object{"level": "warning", "rule": "workspace_past_due", "id": "", "name": "", "message": "A payment of the workspace is past due.",
					"key": "workspace_past_due", "reason": ""},
			},
			// Zero-width spaces keep texts from becoming links.
			"markdown": strings.NewReplacer("~", "`", "¦", "\u200b", "°", "\u00a0").Replace(expectedReport),
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
|---|--:|---|
| ADMIN | 2 | adaeze@larkspur-bicycles.example, soren@larkspur-bicycles.example |
| BILLING | 1 | ilija@larkspur-bicycles.example |
| GUEST | 2 | workshop@larkspur-bicycles.example, zoe@oddspoke-agency.example |
| MEMBER | 3 | beatriz@larkspur-bicycles.example, hanako@larkspur-bicycles.example, mirela@larkspur-bicycles.example |

## Agents

| Agent | ID | State | Address | Sharing | Collaborators | Hosts | Credentials | Labels |
|---|---|---|---|---|---|---|---|---|
| Returns \& refunds | agt\_returns | published | https:¦//chat.larkspur-bicycles.example/returns, chat.larkspur-bicycles.example | ` +
	`shared | \{"invited":¦"ulrich@oddspoke-agency.example","since":¦1773300000\}, \{"type":¦"READ","userId":¦"usr\_zoe"\} | – | cred\_messaging\_eu | größe, returns, service |
`

func TestAuditReport(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	audit := audited(t, startService(t))
	state, diagnostics := p.record(nil, audit, nil, false)
	requireNoErrors(t, diagnostics)
	record := object{"record": state["record"], "changes": state["changes"], "accepted": object{"owners/agt_kiosk": "It has none.", "first_record": "The test begins."}}
	own := list{
		object{"level": "error", "rule": "admins", "id": nil, "message": "a\x1b\n::error::b"},
		object{"level": "warning", "rule": "owners", "id": "agt_kiosk", "message": "No owner."},
		object{"level": "error", "rule": "nulls", "id": nil, "message": nil},
		nil,
	}
	got := p.mustCall("audit_report", audit, record, own).(object)
	errors := ""
	for _, message := range got["errors"].(list) {
		errors += regexp.MustCompile(`/[a-z2-7]{24}\n`).ReplaceAllString(message.(string), "/F\n") + "\n"
	}
	const needs = " in policies needs a rule that is not built in, a message, and the level error or warning. It has the rule "
	const lasting = "\n  The key accepts this as long as it is in accepted.\n"
	want := "admins/F\n  a :\u200b:error:\u200b:b" + lasting + "policies/F\n  The finding with index 2" + needs + `"nulls", the message "", and the level "error".` + lasting +
		"policies/F\n  The finding with index 3" + needs + `"", the message "", and the level "".` + lasting
	if diff := cmp.Diff(want, errors); diff != "" {
		t.Errorf("unexpected errors (-want +got):\n%s", diff)
	}
	accepted := object{"level": "accepted", "rule": "owners", "id": "agt_kiosk", "name": "Shop kiosk – Größenberatung", "message": "No owner.",
		"key": "owners/agt_kiosk", "reason": "It has none."}
	if !slices.ContainsFunc(got["findings"].(list), func(finding any) bool { return cmp.Equal(accepted, finding) }) {
		t.Errorf("no finding is %v in %v", accepted, got["findings"])
	}
	for text, record := range map[string]any{
		"\nThere is no record to compare with.\n": nil,
		" | first\\_record: The test begins. |\n": record,
		"\nThere are no changes.\n":               object{"record": state["record"], "changes": list{}, "accepted": nil},
	} {
		got := p.mustCall("audit_report", audit, record, list{}).(object)
		if !strings.Contains(got["markdown"].(string), text) {
			t.Errorf("the report lacks %q:\n%s", text, got["markdown"])
		}
	}
}

func TestAuditReportErrors(t *testing.T) {
	t.Parallel()
	audit := audited(t, startService(t))
	for _, test := range []struct {
		arguments []any
		argument  int64
		want      string
	}{
		{[]any{`{"agents": "secret"}`, nil, list{}}, 0, "the value is not the JSON text of an audit. Pass jsonencode(data.convo_workspace_audit.NAME)"},
		{[]any{`{"workspace": {}, "agents": {}, "emails_by_role": {}, "members": null}`, nil, list{}}, 0, "the value lacks these attributes of an audit, " +
			"which an override in a test must contain: members. Pass jsonencode(data.convo_workspace_audit.NAME)"},
		{[]any{audit, object{"record": "secret", "changes": nil, "accepted": nil}, list{}}, 1, "The value of record is damaged, or was not written by this resource. Restore the state from a backup. Under mock_provider " +
			"of terraform test, set record = \"\" in the defaults of mock_resource. To begin a new record, run terraform state rm for the resource. You must then accept the new " +
			"record, and changes since the last audit are not found"},
	} {
		_, failure := newTestProvider(t).call("audit_report", test.arguments...)
		if failure == nil || failure.Text != test.want || failure.FunctionArgument == nil || *failure.FunctionArgument != test.argument {
			t.Errorf("got the error %+v, want %q", failure, test.want)
		}
	}
}
