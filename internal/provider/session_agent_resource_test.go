// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

func TestAccSessionAgentResource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: testAccProviderConfig(s) + `
resource "convo_session_agent" "test" {
  session_id = "ses_orders_open"
  agent_id   = "agt_returns"
}
`,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("convo_session_agent.test", plancheck.ResourceActionCreate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("convo_session_agent.test", tfjsonpath.New("agent_id"), knownvalue.StringExact("agt_returns")),
					statecheck.ExpectKnownValue("convo_session_agent.test", tfjsonpath.New("payload"), knownvalue.Null()),
					statecheck.ExpectKnownValue("convo_session_agent.test", tfjsonpath.New("message"), knownvalue.StringExact("success")),
				},
			},
			{
				ResourceName:                         "convo_session_agent.test",
				ImportState:                          true,
				ImportStateId:                        "ses_orders_open",
				ImportStateVerify:                    true,
				ImportStateVerifyIdentifierAttribute: "session_id",
				ImportStateVerifyIgnore:              []string{"agent_id", "message"}, // The API cannot read them.
			},
		},
	})
	want := []string{`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`}
	if diff := cmp.Diff(want, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// A failed create leaves no state. TestSessionUpdateEffect holds that a failed update
// keeps the prior one.
func TestSessionAgentResource_failedCreate(t *testing.T) {
	t.Parallel()
	state, diagnostics := configuredProvider(t, startService(t)).apply(nil, object{"session_id": "ses_returns_done"})
	requireError(t, diagnostics, "Unable to update session agent", `"ses_returns_done"`, "400 Bad Request", "not active")
	if state != nil {
		t.Errorf("got the state %v", state)
	}
}

// A write-only payload is sent, and neither planned nor stored.
func TestSessionAgentResource_writeOnlyPayload(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configuredProvider(t, s)
	config := object{"session_id": "ses_orders_open", "payload_wo": `{"agentId":"agt_returns","secret":"s3cret"}`, "payload_wo_version": number("1")}
	state, diagnostics := p.apply(nil, config)
	requireNone(t, diagnostics)
	if diff := cmp.Diff([]string{`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns","secret":"s3cret"}`}, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
	if state["payload_wo"] != nil || state["payload_wo_version"] != number("1") || state["message"] != "success" {
		t.Errorf("unexpected state %v", state)
	}
	for _, invalid := range []object{
		{"session_id": "s", "payload_wo": `{}`},
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
