// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestAccSessionAgentResource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	resource.UnitTest(t, resource.TestCase{
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

// The first plan after an import sends the configured agent.
func TestAccSessionAgentResource_importBlock(t *testing.T) {
	t.Parallel()
	s := startService(t)
	resource.UnitTest(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: testAccProviderConfig(s) + `
import {
  to = convo_session_agent.test
  id = "ses_orders_open"
}
resource "convo_session_agent" "test" {
  session_id = "ses_orders_open"
  agent_id   = "agt_returns"
}
`,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("convo_session_agent.test", plancheck.ResourceActionUpdate),
			}},
		}},
	})
	if diff := cmp.Diff([]string{`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`}, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// Terraform validates a resource again once its arguments are known, so that
// wrong ones are not sent.
func TestAccSessionAgentResource_wrongWhenKnown(t *testing.T) {
	t.Parallel()
	s := startService(t)
	steps := []resource.TestStep{}
	for arguments, want := range map[string]string{
		`session_id = terraform_data.test.output[0]`: `The value must not be empty`,
		`session_id = "s"
  payload = terraform_data.test.output[1]`: `The value must be a JSON object`,
		`session_id = "s"
  agent_id = terraform_data.test.output[0]`: `string length must be at least 1`,
		`session_id = "s"
  agent_id = terraform_data.test.output[2]
  payload  = terraform_data.test.output[3]`: `"payload" cannot be specified when "agent_id" is specified`,
	} {
		steps = append(steps, resource.TestStep{
			Config: testAccProviderConfig(s) + `
resource "terraform_data" "test" {
  input            = ["", "[]", "agt_returns", "{}"]
  triggers_replace = ` + strconv.Quote(want) + `
}
resource "convo_session_agent" "test" {
  ` + arguments + `
}
`,
			ExpectError: regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(want), " ", `\s+`)),
		})
	}
	resource.UnitTest(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps:                    steps,
	})
	if len(s.Requests()) > 0 {
		t.Errorf("sent %v", s.paths())
	}
}

func TestSessionAgentSends(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		settings object
		config   object
		want     string
	}{
		"an agent":                  {config: object{"agent_id": "agt_returns"}, want: `{"agentId":"agt_returns"}`},
		"the newest revision":       {config: object{}, want: `{}`},
		"a payload":                 {config: object{"payload": `{"agentId": "agt_returns", "x":[1.0]}`}, want: `{"agentId": "agt_returns", "x":[1.0]}`},
		"triggers are not sent":     {config: object{"triggers": object{"a": "b"}}, want: `{}`},
		"an agent under a new name": {settings: object{"session_agent_parameter": "bot"}, config: object{"agent_id": "agt_returns"}, want: `{"bot":"agt_returns"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			test.config["session_id"] = "ses_orders_open"
			state, diagnostics := configuredProvider(t, s, test.settings).apply(nil, test.config)
			requireExactly(t, diagnostics)
			want := object{"agent_id": nil, "payload": nil, "triggers": nil, "message": "success"}
			maps.Copy(want, test.config)
			if diff := cmp.Diff(want, state); diff != "" {
				t.Errorf("unexpected state (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"POST /v1/sessions/ses_orders_open/updateAgent " + test.want}, s.sentBodies()); diff != "" {
				t.Errorf("unexpected requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSessionAgentUpdatesTheSession(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configuredProvider(t, s)
	first, diagnostics := p.apply(nil, object{"session_id": "ses_orders_open", "agent_id": "agt_returns"})
	requireNoErrors(t, diagnostics)
	second, diagnostics := p.apply(first, object{"session_id": "ses_orders_open", "agent_id": "agt_workshop", "triggers": object{"n": "1"}})
	requireNoErrors(t, diagnostics)
	if second["agent_id"] != "agt_workshop" || second["message"] != "success" {
		t.Errorf("got the state %v", second)
	}
	gone, diagnostics := p.apply(second, nil)
	if gone != nil {
		t.Errorf("got the state %v after a destroy", gone)
	}
	requireNoErrors(t, diagnostics)
	requireExactly(t, diagnostics, "[] The session keeps its agent\nTerraform will no longer manage session \"ses_orders_open\". The API cannot "+
		"revert an update, so the session keeps its current agent.")
	want := []string{
		`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`,
		`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_workshop"}`,
	}
	if diff := cmp.Diff(want, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// A failure loses nothing: no state after a create, the prior one after an update.
func TestSessionAgentFailures(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configuredProvider(t, s)

	state, diagnostics := p.apply(nil, object{"session_id": "ses_returns_done"})
	requireError(t, diagnostics, "Unable to update session agent", `"ses_returns_done"`, "400 Bad Request", "  - ")
	if state != nil {
		t.Errorf("a failed create left the state %v", state)
	}

	prior, diagnostics := p.apply(nil, object{"session_id": "ses_orders_open", "agent_id": "agt_returns"})
	requireNoErrors(t, diagnostics)
	after, diagnostics := p.apply(prior, object{"session_id": "ses_orders_open", "agent_id": "agt_nope"})
	requireError(t, diagnostics, "Unable to update session agent", "400 Bad Request", "agentId must be the ID of an existing agent")
	if diff := cmp.Diff(prior, after); diff != "" {
		t.Errorf("a failed update changed the state (-want +got):\n%s", diff)
	}

	reader := configuredProvider(t, s, object{"token": devserver.TokenRead})
	_, diagnostics = reader.apply(nil, object{"session_id": "ses_orders_open"})
	requireError(t, diagnostics, "403 Forbidden", "does not have permission")
}

// planned returns the planned state of a session agent.
func planned(p *testProvider, prior, config object) object {
	p.t.Helper()
	config = maps.Clone(config)
	delete(config, "message")
	return p.fromDynamic(p.schema.ResourceSchemas[sessionAgent].ValueType(), p.plan(prior, config).PlannedState)
}

// A plan warns that a session keeps its agent if the session is not managed
// after the apply.
func TestSessionAgentPlanWarnsOfDestroy(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	managed := func(changes object) object {
		state := object{"session_id": "s", "agent_id": nil, "payload": `{}`, "triggers": nil, "message": "success"}
		maps.Copy(state, changes)
		return state
	}
	const warning = "[] The session keeps its agent\nTerraform will no longer manage session \"s\". The API cannot revert an update, so the " +
		"session keeps its current agent."
	for name, test := range map[string]struct {
		prior, config object
		want          []string
	}{
		"create":                      {prior: nil, config: managed(nil)},
		"update":                      {prior: managed(nil), config: managed(object{"agent_id": "a", "payload": nil})},
		"destroy":                     {prior: managed(nil), config: nil, want: []string{warning}},
		"destroy after an import":     {prior: managed(object{"payload": nil, "message": nil}), config: nil, want: []string{warning}},
		"replace":                     {prior: managed(nil), config: managed(object{"session_id": "t"}), want: []string{warning}},
		"replace with an unknown one": {prior: managed(nil), config: managed(object{"session_id": unknown}), want: []string{warning}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			delete(test.config, "message")
			requireExactly(t, p.plan(test.prior, test.config).Diagnostics, test.want...)
		})
	}
}

// A payload of the same content is no change, whatever its form.
func TestSessionPayloadPlans(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	const prior = `{"a":1,"b":[1.0,"x"]}`
	for name, test := range map[string]struct {
		prior, payload any
		changes        object // of the other arguments
		want           any    // the planned payload
		sent           bool
	}{
		"the same":             {prior, prior, nil, prior, false},
		"white space":          {prior, "{ \"a\": 1,\n \"b\": [1.0, \"x\"] }\n", nil, prior, false},
		"order of keys":        {prior, `{"b":[1.0,"x"],"a":1}`, nil, prior, false},
		"escapes":              {prior, `{"a":1,"b":[1.0,"\u0078"]}`, nil, prior, false},
		"another value":        {prior, `{"a":2,"b":[1.0,"x"]}`, nil, `{"a":2,"b":[1.0,"x"]}`, true},
		"order of a list":      {prior, `{"a":1,"b":["x",1.0]}`, nil, `{"a":1,"b":["x",1.0]}`, true},
		"a number's text":      {prior, `{"a":1,"b":[1,"x"]}`, nil, `{"a":1,"b":[1,"x"]}`, true},
		"large numbers":        {`{"a":9007199254740992}`, `{"a":9007199254740993}`, nil, `{"a":9007199254740993}`, true},
		"removed":              {prior, nil, nil, nil, true},
		"added":                {nil, prior, nil, prior, true},
		"none":                 {nil, nil, nil, nil, false},
		"unknown":              {prior, unknown, nil, unknown, true},
		"unknown before none":  {nil, unknown, nil, unknown, true},
		"form and triggers":    {prior, prior + " ", object{"triggers": object{"n": "1"}}, prior, true},
		"form and the agent":   {prior, prior + " ", object{"agent_id": unknown}, prior, true},
		"form and the session": {prior, prior + " ", object{"session_id": "t"}, prior, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := object{"session_id": "s", "agent_id": nil, "payload": test.prior, "triggers": nil, "message": "success"}
			proposed, want := maps.Clone(before), maps.Clone(before)
			proposed["payload"], want["payload"] = test.payload, test.want
			maps.Copy(proposed, test.changes)
			maps.Copy(want, test.changes)
			if test.sent {
				want["message"] = unknown
			}
			if diff := cmp.Diff(want, planned(p, before, proposed), cmp.Comparer(func(a, b struct{ unknown bool }) bool { return a == b })); diff != "" {
				t.Errorf("unexpected plan (-want +got):\n%s", diff)
			}
		})
	}
	created := planned(p, nil, object{"session_id": "s", "payload": prior})
	if created["payload"] != prior || created["message"] != any(unknown) {
		t.Errorf("planned %v for a new resource", created)
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
func TestSessionAgentImport(t *testing.T) {
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

	for id, want := range map[string]string{
		"":                  "must not be empty",
		"..":                `".." is not a valid ID, because it has a special meaning in a URL path`,
		" s":                "must not begin or end with whitespace",
		"ses_orders_open\n": "must not begin or end with whitespace",
	} {
		message := "[] Unable to import session agent\nThe import requires the ID of a chat session. The given ID " + want + "."
		_, _, diagnostics := p.importing(id, nil)
		requireExactly(t, diagnostics, message)
		_, _, diagnostics = p.importing("", object{"session_id": id})
		requireExactly(t, diagnostics, message)
	}
}
