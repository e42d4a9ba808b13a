// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

const auditRecordType = "convo_audit_record"

func TestAccAuditRecordResource(t *testing.T) {
	t.Parallel()
	const config = `
data "convo_workspace_audit" "test" {
  workspace_id = "larkspur"
}

resource "convo_audit_record" "test" {
  audit    = jsonencode(data.convo_workspace_audit.test)
  accepted = %s
}
`
	testAcc(t, startService(t), writeOnlyArguments,
		failing(fmt.Sprintf(config, "{}"), "Changes are not accepted"),
		reading(fmt.Sprintf(config, `{ first_record = "The test begins." }`), "convo_audit_record.test", object{
			"audit":    nil,
			"accepted": object{"first_record": "The test begins."},
			"record":   knownvalue.NotNull(),
			"changes": list{object{
				"what": "record", "id": "ws_larkspur01", "name": "Larkspur Bicycles", "before": nil, "after": "workspace ws_larkspur01 with 12 agents and 8 members",
				"is_access": true, "at": knownvalue.NotNull(), "key": knownvalue.StringRegexp(regexp.MustCompile(`^first_record/ws_larkspur01/[a-z2-7]{24}$`)),
				"reason": "first_record: The test begins.",
			}},
		}),
		resource.TestStep{
			ResourceName: "convo_audit_record.test", ImportState: true, ImportStateId: "ws_larkspur01",
			ExpectError: regexp.MustCompile(`(?s)Records cannot be imported.*push its\s+last\s+version\s+from\s+the\s+backend\s+with\s+terraform\s+state\s+push`),
		},
	)
}

// record plans and applies the record of an audit. The audit can be unknown in the plan. The
// state is the prior one if that fails.
func (p *testProvider) record(prior object, audit string, accepted object, isUnknown bool) (object, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	config := object{"audit": audit, "accepted": accepted}
	planned := maps.Clone(config)
	if isUnknown {
		planned["audit"] = unknown
	}
	plan := p.plan(auditRecordType, prior, planned)
	if len(errorsIn(plan.Diagnostics)) > 0 {
		return prior, plan.Diagnostics
	}
	return p.apply(auditRecordType, plan, prior, config)
}

// firstRecord accepts the first record.
func firstRecord() object { return object{"first_record": "The test begins."} }

// audited is the audit of the development server's workspace.
func audited(t *testing.T, s service) string {
	t.Helper()
	text, err := json.Marshal(configuredProvider(t, s).mustRead(workspaceAuditType, object{"workspace_id": "larkspur"}))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// changesIn returns the changes in a state, each as its first two attributes.
func changesIn(state object) []string {
	changes := []string{}
	for _, change := range state["changes"].(list) {
		change := change.(object)
		text := change["what"].(string) + " " + change["id"].(string)
		if change["is_access"] == true {
			text += ", access"
		}
		changes = append(changes, text)
	}
	return changes
}

// What must be accepted is not recorded without its key, also if the audit was unknown in the
// plan, so that no precondition held. A plan warns, and has no error.
func TestAuditRecordRefuses(t *testing.T) {
	t.Parallel()
	before := audited(t, startService(t))
	after := strings.NewReplacer(`"domain":"trade.`, `"domain":"evil.`, `"read_at":"2`, `"read_at":"3`).Replace(before)
	for _, isUnknown := range []bool{false, true} {
		p := newTestProvider(t)
		var state object
		var key string
		for _, test := range []struct{ audit, finding, message string }{
			{before, "first_record/ws_larkspur01", "The record begins with this audit"}, {after, "access_changed/agt_trade", "Trade desk (agt_trade): agent address: domain trade."},
		} {
			unchanged, diagnostics := p.record(state, test.audit, object{"removed": "It is another rule."}, isUnknown)
			refused := requireError(t, errorsIn(diagnostics), `[AttributeName("accepted")] Changes are not accepted`, "The audit was not recorded, and the record is unchanged.", test.message)
			if diff := cmp.Diff(state, unchanged); diff != "" {
				t.Errorf("the record has changed (-before +after):\n%s", diff)
			}
			key = regexp.MustCompile(test.finding + `/[a-z2-7]{24}\n`).FindString(refused.Detail)
			if !isUnknown {
				requireWarning(t, diagnostics[:1], "The apply will fail", "\n"+key, "pass the keys with your reasons to the apply")
			}
			key = strings.TrimSpace(key)
			state, diagnostics = p.record(state, test.audit, object{key: "Compared."}, isUnknown)
			requireNoErrors(t, diagnostics)
		}
		if diff := cmp.Diff([]string{"record ws_larkspur01, access", "agent address agt_trade, access"}, changesIn(state)); diff != "" {
			t.Errorf("unexpected changes (-want +got):\n%s", diff)
		}
		requireAttributes(t, state["changes"].(list)[1].(object), object{"key": key, "reason": "Compared."})
		// A key in -var alone leaves no difference once it is recorded, but any other key does.
		for _, test := range []struct{ accepted, want object }{
			{object{}, object{key: "Compared."}}, {object{"removed": "A."}, object{"removed": "A."}}, {object{key: "Again."}, object{key: "Again."}},
		} {
			plan := p.plan(auditRecordType, state, object{"audit": after, "accepted": test.accepted})
			requireNoErrors(t, plan.Diagnostics)
			requireAttributes(t, p.planned(auditRecordType, plan), object{"accepted": test.want})
		}
	}
}

func TestAuditRecordErrors(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	audit := audited(t, startService(t))
	_, diagnostics := p.record(nil, `{"agents": "secret"}`, firstRecord(), false)
	d := requireError(t, diagnostics, `[AttributeName("audit")]`, "Invalid value for audit", "jsonencode(data.convo_workspace_audit.NAME)")
	if strings.Contains(d.Detail, "secret") {
		t.Errorf("the error contains the value: %s", d.Detail)
	}
	state, diagnostics := p.record(nil, audit, firstRecord(), false)
	requireNoErrors(t, diagnostics)
	for _, record := range []string{"no record", state["record"].(string)[:100]} {
		state["record"] = record
		_, diagnostics = p.record(state, audit, object{}, false)
		requireError(t, diagnostics, "Invalid audit record", "is damaged, or was not written by this resource. Restore the state from a backup.")
	}

	for reason, want := range map[any]string{nil: `[AttributeName("accepted")`, " ": "must be the reason why the finding is accepted, and must not be empty"} {
		requireError(t, p.validateResource(auditRecordType, object{"audit": unknown, "accepted": object{"removed": reason}}), want)
	}

	// A destroy works in any case.
	requireNoErrors(t, p.plan(auditRecordType, state, nil).Diagnostics)
}
