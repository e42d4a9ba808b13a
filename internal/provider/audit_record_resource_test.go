// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
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

// record plans and applies the record of an audit as Terraform does. The audit can be
// unknown in the plan. The state is the prior one if that fails.
func (p *testProvider) record(prior object, audit string, accepted object, isUnknown bool) (object, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	plan, apply := p.planRecord(prior, audit, accepted, isUnknown)
	if len(errorsIn(plan.Diagnostics)) > 0 {
		return prior, plan.Diagnostics
	}
	return apply()
}

// planRecord plans the record of an audit. apply also returns the diagnostics of the plan.
func (p *testProvider) planRecord(prior object, audit string, accepted object, isUnknown bool) (plan *tfprotov6.PlanResourceChangeResponse, apply func() (object, []*tfprotov6.Diagnostic)) {
	p.t.Helper()
	typ := p.schema.ResourceSchemas[auditRecordType].ValueType()
	config := object{"audit": audit, "accepted": nil}
	if prior == nil && accepted == nil {
		accepted = object{"first_record": "The test begins."}
	}
	if accepted != nil {
		config["accepted"] = accepted
	}
	planned := object{"audit": audit, "accepted": config["accepted"]}
	if isUnknown {
		planned["audit"] = unknown
	}
	proposed := object{"accepted": config["accepted"]}
	if prior == nil {
		proposed["record"], proposed["changes"] = unknown, unknown
	} else {
		proposed["record"], proposed["changes"] = prior["record"], prior["changes"]
	}
	plan = rpc(p, p.server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
		TypeName: auditRecordType, PriorState: p.toDynamic(typ, prior), ProposedNewState: p.toDynamic(typ, proposed), Config: p.toDynamic(typ, planned),
	})
	return plan, func() (object, []*tfprotov6.Diagnostic) {
		p.t.Helper()
		resp := rpc(p, p.server.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
			TypeName: auditRecordType, PriorState: p.toDynamic(typ, prior), PlannedState: plan.PlannedState, Config: p.toDynamic(typ, config),
			PlannedPrivate: plan.PlannedPrivate,
		})
		return p.fromDynamic(typ, resp.NewState), append(plan.Diagnostics, resp.Diagnostics...)
	}
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

// A change of access is not recorded unless it is accepted, also if the audit was unknown
// in the plan, so that no precondition held.
func TestAuditRecordRefuses(t *testing.T) {
	t.Parallel()
	before := audited(t, startService(t))
	w := newChangingWorkspace(t)
	w.edit("agt_trade", `"domain": "trade.`, `"domain": "evil.`)
	after := audited(t, w.start())
	for _, isUnknown := range []bool{false, true} {
		p := newTestProvider(t)
		first, diagnostics := p.record(nil, before, nil, isUnknown)
		requireNoErrors(t, diagnostics)
		state, diagnostics := p.record(first, after, nil, isUnknown)
		refused := requireError(t, errorsIn(diagnostics), `[AttributeName("accepted")]`, "Changes are not accepted", "The audit was not recorded, and the record is unchanged.",
			"\n  Trade desk (agt_trade): agent address: domain trade.")
		if diff := cmp.Diff(first, state); diff != "" {
			t.Errorf("the record has changed (-before +after):\n%s", diff)
		}
		key := regexp.MustCompile(`\n(access_changed/agt_trade/[a-z2-7]{24})\n`).FindStringSubmatch(refused.Detail)[1]
		state, diagnostics = p.record(first, after, object{key: "The domain is ours."}, isUnknown)
		requireNoErrors(t, diagnostics)
		if diff := cmp.Diff([]string{"record ws_larkspur01, access", "agent address agt_trade, access"}, changesIn(state)); diff != "" {
			t.Errorf("unexpected changes (-want +got):\n%s", diff)
		}
	}
}

// The first record is not created unless it is accepted. A plan warns, and has no error.
func TestAuditRecordRefusesTheFirst(t *testing.T) {
	t.Parallel()
	text := audited(t, startService(t))
	for _, isUnknown := range []bool{false, true} {
		p := newTestProvider(t)
		state, diagnostics := p.record(nil, text, object{"access_changed": "Not the rule of the first record."}, isUnknown)
		refused := requireError(t, errorsIn(diagnostics), `[AttributeName("accepted")]`, "Changes are not accepted", "\nfirst_record/ws_larkspur01/")
		if state != nil {
			t.Errorf("the record was created: %v", state)
		}
		key := regexp.MustCompile(`\n(first_record/ws_larkspur01/[a-z2-7]{24})\n`).FindStringSubmatch(refused.Detail)[1]
		if warning := diagnostics[0]; !isUnknown && (warning.Severity != tfprotov6.DiagnosticSeverityWarning || warning.Summary != "The apply will fail" || !strings.Contains(warning.Detail, "\n"+key+"\n")) {
			t.Errorf("the plan warns %v", warning)
		}
		state, diagnostics = p.record(nil, text, object{key: "Compared."}, isUnknown)
		requireNoErrors(t, diagnostics)
		// A key in -var alone leaves no difference once it is recorded, but any other key does.
		typ := p.schema.ResourceSchemas[auditRecordType].ValueType()
		for _, test := range []struct{ accepted, want object }{
			{object{}, object{key: "Compared."}}, {object{"removed": "A."}, object{"removed": "A."}}, {object{key: "Again."}, object{key: "Again."}},
		} {
			plan := rpc(p, p.server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
				TypeName: auditRecordType, PriorState: p.toDynamic(typ, state), Config: p.toDynamic(typ, object{"audit": text, "accepted": test.accepted}),
				ProposedNewState: p.toDynamic(typ, object{"accepted": test.accepted, "record": state["record"], "changes": state["changes"]}),
			})
			requireNoErrors(t, plan.Diagnostics)
			if diff := cmp.Diff(test.want, p.fromDynamic(typ, plan.PlannedState)["accepted"]); diff != "" {
				t.Errorf("unexpected planned keys (-want +got):\n%s", diff)
			}
		}
		if first := state["changes"].(list)[0].(object); first["reason"] != "Compared." || first["key"] != key {
			t.Errorf("unexpected change %v", first)
		}
	}
}

func TestAuditRecordErrors(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	audit := audited(t, startService(t))
	_, diagnostics := p.record(nil, `{"agents": "secret"}`, nil, false)
	d := requireError(t, diagnostics, `[AttributeName("audit")]`, "Invalid value for audit", "jsonencode(data.convo_workspace_audit.NAME)")
	if strings.Contains(d.Detail, "secret") {
		t.Errorf("the error contains the value: %s", d.Detail)
	}
	state, diagnostics := p.record(nil, audit, nil, false)
	requireNoErrors(t, diagnostics)
	for _, record := range []string{"no record", state["record"].(string)[:100]} {
		state["record"] = record
		_, diagnostics = p.record(state, audit, nil, false)
		requireError(t, diagnostics, "Invalid audit record", "is damaged, or was not written by this resource. Restore the state from a backup.")
	}

	null := object{"audit": unknown, "accepted": object{"removed": nil}}
	requireError(t, p.validateResource(auditRecordType, null), `[AttributeName("accepted")`)

	// A destroy works in any case.
	typ := p.schema.ResourceSchemas[auditRecordType].ValueType()
	plan := rpc(p, p.server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
		TypeName: auditRecordType, PriorState: p.toDynamic(typ, state), ProposedNewState: p.toDynamic(typ, nil), Config: p.toDynamic(typ, nil),
	})
	requireNoErrors(t, plan.Diagnostics)
}

// An empty reason is called empty.
func TestAuditRecordReasons(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	config := object{"audit": "{}", "accepted": object{"removed": " "}}
	requireError(t, p.validateResource(auditRecordType, config), "must be the reason why the finding is accepted, and must not be empty")
}
