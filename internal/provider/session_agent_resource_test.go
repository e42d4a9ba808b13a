// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

func TestAccSessionAgentResource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const address = "convo_session_agent.test"
	config := func(sessionID, arguments string) string {
		return fmt.Sprintf("resource \"convo_session_agent\" \"test\" {\n  session_id = %q\n  %s\n}\n", sessionID, arguments)
	}
	step := func(sessionID, arguments string, action plancheck.ResourceActionType, changes object) resource.TestStep {
		want := object{
			"session_id": sessionID, "agent_id": nil, "payload": nil, "triggers": nil, "on_rejection": nil, "message": "success",
		}
		maps.Copy(want, changes)
		step := reading(config(sessionID, arguments), address, want)
		step.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}
		return step
	}
	const payload = `{"agentId": "agt_returns", "x":[1.0]}`
	testAcc(t, s, anyVersion,
		// A failed create leaves no state.
		failing(config("ses_returns_done", ""), `Invalid input data (BAD_REQUEST). - session "ses_returns_done" is not active`),
		step("ses_returns_done", `on_rejection = "warn"`, plancheck.ResourceActionCreate, object{"on_rejection": "warn", "message": nil}),
		step("ses_returns_done", "", plancheck.ResourceActionUpdate, object{"message": nil}), // It sends nothing.
		step("ses_orders_open", `agent_id = "agt_returns"`, plancheck.ResourceActionReplace, object{"agent_id": "agt_returns"}),
		resource.TestStep{
			ResourceName:                         address,
			ImportState:                          true,
			ImportStateId:                        "ses_orders_open",
			ImportStateVerify:                    true,
			ImportStateVerifyIdentifierAttribute: "session_id",
			ImportStateVerifyIgnore:              []string{"agent_id", "message"}, // The API cannot read them.
		},
		step("ses_orders_open", fmt.Sprintf("payload = %q", payload), plancheck.ResourceActionUpdate, object{"payload": payload}),
		step("ses_orders_open", `payload = "{}"`, plancheck.ResourceActionUpdate, object{"payload": "{}"}),
		step("ses_orders_open", `triggers = { n = "1" }`, plancheck.ResourceActionUpdate, object{"triggers": object{"n": "1"}}),
	)
	requireUpdates(t, s, "ses_returns_done/updateAgent {}", "ses_returns_done/updateAgent {}", `ses_orders_open/updateAgent {"agentId":"agt_returns"}`,
		"ses_orders_open/updateAgent "+payload, "ses_orders_open/updateAgent {}", "ses_orders_open/updateAgent {}")
}

// requireUpdates requires exactly these updates of sessions.
func requireUpdates(t *testing.T, s service, updates ...string) {
	t.Helper()
	var want, got []string
	for _, update := range updates {
		want = append(want, "POST /v1/sessions/"+update)
	}
	for i, sent := range s.Sent() {
		got = append(got, sent+" "+s.Requests()[i].Body)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// A plan warns that a session keeps its agent if the resource is destroyed.
func TestSessionAgentResource_destroyWarning(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	prior := object{"session_id": "s", "payload": "{}", "message": "success"}
	requireNone(t, p.plan(sessionAgent, prior, object{"session_id": "s", "agent_id": "a"}).Diagnostics)
	requireWarning(t, p.plan(sessionAgent, prior, nil).Diagnostics, "The session keeps its agent")
}

// A trigger that is not known yet sends an update.
func TestSessionAgentResource_unknownTrigger(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	prior := object{"session_id": "s", "triggers": object{"n": "1"}, "message": "success"}
	plan := p.plan(sessionAgent, prior, object{"session_id": "s", "triggers": object{"n": unknown}})
	if message := p.planned(sessionAgent, plan)["message"]; message != any(unknown) {
		t.Errorf("planned the message %v", message)
	}
}
