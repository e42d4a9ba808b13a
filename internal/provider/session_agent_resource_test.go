// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
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
				Config: testAccProviderConfig(s) + `
resource "convo_session_agent" "test" {
  session_id = "ses_orders_open"
  agent_id   = "agt_returns"
  triggers   = { revision = "43" }
}
`,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("convo_session_agent.test", plancheck.ResourceActionUpdate),
				}},
			},
			{
				Config: testAccProviderConfig(s) + `
resource "convo_session_agent" "test" {
  session_id = "ses_workshop_open"
  payload    = jsonencode({ agentId = "agt_orders" })
}
`,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("convo_session_agent.test", plancheck.ResourceActionReplace),
				}},
			},
			{
				// Another form of the same payload.
				Config: testAccProviderConfig(s) + `
resource "convo_session_agent" "test" {
  session_id = "ses_workshop_open"
  payload    = "{ \"agentId\" : \"agt_orders\" }"
}
`,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("convo_session_agent.test", plancheck.ResourceActionNoop),
				}},
			},
			{
				ResourceName:                         "convo_session_agent.test",
				ImportState:                          true,
				ImportStateId:                        "ses_workshop_open",
				ImportStateVerify:                    true,
				ImportStateVerifyIdentifierAttribute: "session_id",
				ImportStateVerifyIgnore:              []string{"payload", "message"}, // The API cannot read them.
			},
		},
	})
	want := []string{
		`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`,
		`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`,
		`POST /v1/sessions/ses_workshop_open/updateAgent {"agentId":"agt_orders"}`,
	}
	if diff := cmp.Diff(want, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// A failed create leaves no state. TestDiagnostics shows that a failed update
// keeps the prior one.
func TestSessionAgentResource_failedCreate(t *testing.T) {
	t.Parallel()
	state, diagnostics := configuredProvider(t, startService(t)).apply(nil, object{"session_id": "ses_returns_done"})
	requireError(t, diagnostics, "Unable to update session agent", `"ses_returns_done"`, "400 Bad Request", "not active")
	if state != nil {
		t.Errorf("got the state %v", state)
	}
}

// A plan warns that a session keeps its agent if the session is not managed
// after the apply.
func TestSessionAgentResource_destroyWarning(t *testing.T) {
	t.Parallel()
	prior := object{"session_id": "s", "payload": "{}", "message": "success"}
	const warning = "[] The session keeps its agent\nTerraform will no longer manage session \"s\". The API cannot revert an update, so the " +
		"session keeps its current agent."
	for name, test := range map[string]struct {
		prior, config object
		want          []string
	}{
		"create":                      {prior: nil, config: object{"session_id": "s"}},
		"update":                      {prior: prior, config: object{"session_id": "s", "agent_id": "a"}},
		"destroy":                     {prior: prior, config: nil, want: []string{warning}},
		"destroy after an import":     {prior: object{"session_id": "s"}, config: nil, want: []string{warning}},
		"replace":                     {prior: prior, config: object{"session_id": "t"}, want: []string{warning}},
		"replace with an unknown one": {prior: prior, config: object{"session_id": unknown}, want: []string{warning}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireExactly(t, newTestProvider(t).plan(test.prior, test.config).Diagnostics, test.want...)
		})
	}
}

// A payload of the same content is no change, whatever its form.
func TestSessionAgentResource_payloadChanges(t *testing.T) {
	t.Parallel()
	const prior = `{"a":1,"b":[1.0,"x"]}`
	for name, test := range map[string]struct {
		prior, payload any
		triggers       any
		want           any // the planned payload
		sent           bool
	}{
		"the same":          {prior, prior, nil, prior, false},
		"white space":       {prior, "{ \"a\": 1,\n \"b\": [1.0, \"x\"] }\n", nil, prior, false},
		"order of keys":     {prior, `{"b":[1.0,"x"],"a":1}`, nil, prior, false},
		"another value":     {prior, `{"a":2,"b":[1.0,"x"]}`, nil, `{"a":2,"b":[1.0,"x"]}`, true},
		"order of a list":   {prior, `{"a":1,"b":["x",1.0]}`, nil, `{"a":1,"b":["x",1.0]}`, true},
		"large numbers":     {`{"a":9007199254740992}`, `{"a":9007199254740993}`, nil, `{"a":9007199254740993}`, true},
		"removed":           {prior, nil, nil, nil, true},
		"added":             {nil, prior, nil, prior, true},
		"none":              {nil, nil, nil, nil, false},
		"unknown":           {prior, unknown, nil, unknown, true},
		"added and unknown": {nil, unknown, nil, unknown, true},
		"form and triggers": {prior, prior + " ", object{"n": "1"}, prior, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestProvider(t)
			before := object{"session_id": "s", "payload": test.prior, "message": "success"}
			plan := p.plan(before, object{"session_id": "s", "payload": test.payload, "triggers": test.triggers})
			planned := p.fromDynamic(p.schema.ResourceSchemas[sessionAgent].ValueType(), plan.PlannedState)
			if planned["payload"] != test.want {
				t.Errorf("planned the payload %v, want %v", planned["payload"], test.want)
			}
			if sent := planned["message"] != "success"; sent != test.sent {
				t.Errorf("planned the message %v", planned["message"])
			}
		})
	}
}

// Changing the agent sends an update.
func TestSessionAgentResource_agentChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prior, agentID any
		sent           bool
	}{
		"the same":                {"a", "a", false},
		"another":                 {"a", "b", true},
		"added":                   {nil, "a", true},
		"removed":                 {"a", nil, true},
		"unknown":                 {"a", unknown, true},
		"unknown instead of none": {nil, unknown, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestProvider(t)
			plan := p.plan(object{"session_id": "s", "agent_id": test.prior, "message": "success"}, object{"session_id": "s", "agent_id": test.agentID})
			planned := p.fromDynamic(p.schema.ResourceSchemas[sessionAgent].ValueType(), plan.PlannedState)
			if planned["agent_id"] != test.agentID {
				t.Errorf("planned the agent %v, want %v", planned["agent_id"], test.agentID)
			}
			if sent := planned["message"] != "success"; sent != test.sent {
				t.Errorf("planned the message %v", planned["message"])
			}
		})
	}
}

// importing imports a session agent by its ID, or by its identity without one,
// and reads it, as Terraform does.
func (p *testProvider) importing(id string, identity object) (state, after object, diagnostics []*tfprotov6.Diagnostic) {
	p.t.Helper()
	schemas := rpc(p, p.server.GetResourceIdentitySchemas, &tfprotov6.GetResourceIdentitySchemasRequest{})
	typ := schemas.IdentitySchemas[sessionAgent].ValueType()
	request := &tfprotov6.ImportResourceStateRequest{TypeName: sessionAgent, ID: id}
	if identity != nil {
		request.Identity = &tfprotov6.ResourceIdentityData{IdentityData: p.toDynamic(typ, identity)}
	}
	imported := rpc(p, p.server.ImportResourceState, request)
	if len(imported.Diagnostics) > 0 {
		return nil, nil, imported.Diagnostics
	}
	read := rpc(p, p.server.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName:        sessionAgent,
		CurrentState:    imported.ImportedResources[0].State,
		CurrentIdentity: imported.ImportedResources[0].Identity,
	})
	return p.fromDynamic(p.schema.ResourceSchemas[sessionAgent].ValueType(), read.NewState), p.fromDynamic(typ, read.NewIdentity.IdentityData), read.Diagnostics
}

// Import takes the session's ID, sends nothing, and keeps identity and state
// in step.
func TestSessionAgentResource_import(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configuredProvider(t, s)
	for name, imported := range map[string]struct {
		id       string
		identity object
	}{"by ID": {"ses_orders_open", nil}, "by identity": {"", object{"session_id": "ses_orders_open"}}} {
		state, identity, diagnostics := p.importing(imported.id, imported.identity)
		requireExactly(t, diagnostics)
		want := object{"session_id": "ses_orders_open", "agent_id": nil, "payload": nil, "triggers": nil, "message": nil}
		if diff := cmp.Diff(want, state); diff != "" {
			t.Errorf("%s: unexpected state (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(object{"session_id": "ses_orders_open"}, identity); diff != "" {
			t.Errorf("%s: unexpected identity (-want +got):\n%s", name, diff)
		}
	}
	if len(s.Requests()) > 0 {
		t.Errorf("the import sent %v", s.paths())
	}

	for _, id := range []string{"", ".."} {
		const message = "[] Unable to import session agent\nThe import requires the ID of a chat session. The given ID must not be empty, \".\", or \"..\"."
		_, _, diagnostics := p.importing(id, nil)
		requireExactly(t, diagnostics, message)
		_, _, diagnostics = p.importing("", object{"session_id": id})
		requireExactly(t, diagnostics, message)
	}
}
