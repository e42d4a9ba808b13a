// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"strings"
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
	step := func(arguments string, action plancheck.ResourceActionType, changes object) resource.TestStep {
		want := object{
			"session_id": "ses_orders_open", "agent_id": nil, "payload": nil, "payload_wo": nil, "payload_wo_version": nil, "triggers": nil, "on_rejection": nil, "message": "success",
		}
		maps.Copy(want, changes)
		step := reading(config("ses_orders_open", arguments), address, want)
		step.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}
		return step
	}
	const payload = `{"agentId": "agt_returns", "x":[1.0]}`
	testAcc(t, s, anyVersion,
		// A failed create leaves no state.
		failing(config("ses_returns_done", ""), `Invalid input data (BAD_REQUEST). - session "ses_returns_done" is not active`),
		step(`agent_id = "agt_returns"`, plancheck.ResourceActionCreate, object{"agent_id": "agt_returns"}),
		step(fmt.Sprintf("payload = %q", payload), plancheck.ResourceActionUpdate, object{"payload": payload}),
		resource.TestStep{
			ResourceName:                         address,
			ImportState:                          true,
			ImportStateId:                        "ses_orders_open",
			ImportStateVerify:                    true,
			ImportStateVerifyIdentifierAttribute: "session_id",
			ImportStateVerifyIgnore:              []string{"payload", "message"}, // The API cannot read them.
		},
	)
	want := []string{
		`POST /v1/sessions/ses_returns_done/updateAgent {}`,
		`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`,
		`POST /v1/sessions/ses_orders_open/updateAgent ` + payload,
	}
	if diff := cmp.Diff(want, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// A write-only payload is sent, and neither planned nor stored.
func TestAccSessionAgentResource_writeOnlyPayload(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const config = `
resource "convo_session_agent" "test" {
  session_id = "ses_orders_open"
  payload_wo = jsonencode({ secret = "s3cret" })
  %s
}
`
	testAcc(t, s, writeOnlyArguments,
		failing(fmt.Sprintf(config, ""), `Attribute "payload_wo_version" must be specified when "payload_wo" is specified`),
		reading(fmt.Sprintf(config, "payload_wo_version = 1"), "convo_session_agent.test", object{
			"session_id": "ses_orders_open", "agent_id": nil, "payload": nil, "payload_wo": nil, "payload_wo_version": number("1"), "triggers": nil, "on_rejection": nil, "message": "success",
		}),
	)
	if diff := cmp.Diff([]string{`POST /v1/sessions/ses_orders_open/updateAgent {"secret":"s3cret"}`}, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// What conflicts is reported without its value.
func TestSessionAgentResource_conflicts(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	for _, invalid := range []object{
		{"session_id": "s", "payload_wo_version": number("1")},
		{"session_id": "s", "payload_wo": `{}`, "payload_wo_version": number("1"), "payload": `{}`},
		{"session_id": "s", "payload_wo": `{}`, "payload_wo_version": number("1"), "agent_id": "a"},
		{"session_id": "s", "payload_wo": `["s3cret"]`, "payload_wo_version": number("1")},
	} {
		errors := errorsIn(p.validateResource(sessionAgent, invalid))
		if len(errors) == 0 || strings.Contains(fmt.Sprint(errors), "s3cret") {
			t.Errorf("%v: the errors are %v", invalid, errors)
		}
	}
}

// A plan warns that a session keeps its agent if the resource is destroyed.
func TestSessionAgentResource_destroyWarning(t *testing.T) {
	t.Parallel()
	prior := object{"session_id": "s", "payload": "{}", "message": "success"}
	for name, test := range map[string]struct {
		prior, config object
		want          string
	}{
		"create":  {prior: nil, config: object{"session_id": "s"}},
		"update":  {prior: prior, config: object{"session_id": "s", "agent_id": "a"}},
		"destroy": {prior: prior, config: nil, want: "The session keeps its agent"},
		"replace": {prior: prior, config: object{"session_id": "t"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := newTestProvider(t).plan(test.prior, test.config)
			if isReplaced := len(plan.RequiresReplace) > 0; isReplaced != (name == "replace") {
				t.Errorf("replaces: %t", isReplaced)
			}
			if test.want == "" {
				requireNone(t, plan.Diagnostics)
				return
			}
			requireWarning(t, plan.Diagnostics, test.want)
		})
	}
}

// Changing an argument sends an update.
func TestSessionAgentResource_changes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prior, config object
		sent          bool
	}{
		"nothing":              {object{}, object{}, false},
		"another agent":        {object{"agent_id": "a"}, object{"agent_id": "b"}, true},
		"an agent":             {object{}, object{"agent_id": "a"}, true},
		"another payload":      {object{"payload": `{"a":1}`}, object{"payload": `{"a":2}`}, true},
		"a write-only payload": {object{}, object{"payload_wo": `{}`, "payload_wo_version": number("1")}, true},
		"the same version":     {object{"payload_wo_version": number("1")}, object{"payload_wo": `{"a":2}`, "payload_wo_version": number("1")}, false},
		"another version":      {object{"payload_wo_version": number("1")}, object{"payload_wo": `{}`, "payload_wo_version": number("2")}, true},
		"triggers":             {object{}, object{"triggers": object{"n": "1"}}, true},
		"an unknown trigger":   {object{"triggers": object{"n": "1"}}, object{"triggers": object{"n": unknown}}, true},
		"on_rejection":         {object{}, object{"on_rejection": "warn"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestProvider(t)
			test.prior["session_id"], test.prior["message"], test.config["session_id"] = "s", "success", "s"
			plan := p.plan(test.prior, test.config)
			planned := p.fromDynamic(p.schema.ResourceSchemas[sessionAgent].ValueType(), plan.PlannedState)
			if sent := planned["message"] != "success"; sent != test.sent {
				t.Errorf("planned the message %v", planned["message"])
			}
		})
	}
}
