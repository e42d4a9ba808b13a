// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const sessionAgent = "convo_session_agent"

// sentBodies are the bodies of the session updates that arrived.
func (s service) sentBodies() []string {
	var bodies []string
	for _, r := range s.Requests() {
		bodies = append(bodies, r.Method+" "+r.Path+" "+string(r.Body))
	}
	return bodies
}

func TestSessionAgentSends(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		settings object
		config   object
		want     string
	}{
		"an agent":                   {nil, object{"session_id": "ses_orders_open", "agent_id": "agt_returns"}, `{"agentId":"agt_returns"}`},
		"the newest revision":        {nil, object{"session_id": "ses_orders_open"}, `{}`},
		"a payload":                  {nil, object{"session_id": "ses_orders_open", "payload": `{"agentId": "agt_returns", "x":[1.0]}`}, `{"agentId": "agt_returns", "x":[1.0]}`},
		"triggers are not sent":      {nil, object{"session_id": "ses_orders_open", "triggers": object{"a": "b"}}, `{}`},
		"the agent under a new name": {object{"session_agent_parameter": "typebot"}, object{"session_id": "ses_orders_open", "agent_id": "agt_returns"}, `{"typebot":"agt_returns"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			state, diagnostics := configured(t, s, test.settings).apply(nil, test.config)
			if len(diagnostics) > 0 {
				t.Fatalf("unexpected diagnostic: %s", describe(diagnostics[0]))
			}
			want := object{"session_id": nil, "agent_id": nil, "payload": nil, "triggers": nil, "message": "success"}
			for attribute, value := range test.config {
				want[attribute] = value
			}
			if diff := cmp.Diff(want, state); diff != "" {
				t.Errorf("unexpected state (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"POST /v1/sessions/ses_orders_open/updateAgent " + test.want}, s.sentBodies()); diff != "" {
				t.Errorf("unexpected requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSessionAgentMovesTheSession(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configured(t, s)
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
	for _, session := range s.Sessions() {
		if session.ID == "ses_orders_open" && session.AgentID != "agt_workshop" {
			t.Errorf("the session runs %s", session.AgentID)
		}
	}
}

// A failure loses nothing: no state after a create, the prior one after an update.
func TestSessionAgentFailures(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configured(t, s)

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

	reader := configured(t, s, object{"token": devserver.TokenRead})
	_, diagnostics = reader.apply(nil, object{"session_id": "ses_orders_open"})
	requireError(t, diagnostics, "403 Forbidden", "does not have permission")
}

func TestSessionAgentResponses(t *testing.T) {
	t.Parallel()
	config := object{"session_id": "s"}

	// Undocumented fields do not cause errors.
	for _, body := range []string{`{"message":"success","code":""}`, `{"message":"success","code":0}`, `{"message":"success","code":"OK"}`} {
		state, diagnostics := configured(t, responding(t, body)).apply(nil, config)
		if len(diagnostics) > 0 || state["message"] != "success" {
			t.Errorf("%s: got %v, %v", body, state, diagnostics)
		}
	}

	state, diagnostics := configured(t, responding(t, `{"message":"queued"}`)).apply(nil, config)
	if len(diagnostics) != 1 || diagnostics[0].Severity != tfprotov6.DiagnosticSeverityWarning {
		t.Fatalf("got %v, want one warning", diagnostics)
	}
	if state["message"] != "queued" {
		t.Errorf("got the message %v", state["message"])
	}

	for body, want := range map[string]string{
		`{}`:               "message: required, but missing",
		`{"message":null}`: "message: expected a string, got null",
		`[]`:               "expected an object, got an array",
		``:                 "empty",
		`{"code":"NOT_FOUND","message":"Not found"}`: "Not found (NOT_FOUND)",
		`{"code":0,"message":null}`:                  "message: expected a string, got null",
		`{"code":"LOCKED","message":""}`:             "the response is an error",
	} {
		state, diagnostics := configured(t, responding(t, body)).apply(nil, config)
		requireError(t, diagnostics, "Unable to update session agent", "200 OK", want)
		if state != nil {
			t.Errorf("%s: got the state %v", body, state)
		}
	}
}

// plan plans a change of a session agent.
func (p *protocol) plan(prior, proposed object) (object, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	typ := p.schema.ResourceSchemas[sessionAgent].ValueType()
	config := maps.Clone(proposed) // nil for a destroy
	delete(config, "message")
	plan, err := p.server.PlanResourceChange(p.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName:         sessionAgent,
		PriorState:       p.dynamic(typ, prior),
		ProposedNewState: p.dynamic(typ, proposed),
		Config:           p.dynamic(typ, config),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return p.plain(typ, plan.PlannedState), plan.Diagnostics
}

// A plan warns that a session keeps its agent if the session is not managed
// after the apply.
func TestSessionAgentPlanWarnsOfDestroy(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	managed := func(changes object) object {
		state := object{"session_id": "s", "agent_id": nil, "payload": `{}`, "triggers": nil, "message": "success"}
		maps.Copy(state, changes)
		return state
	}
	const warning = "[] The session keeps its agent\nTerraform will no longer manage session \"s\". The API cannot revert an update, so the " +
		"session keeps its current agent."
	for name, test := range map[string]struct {
		prior, proposed object
		want            []string
	}{
		"create":                      {nil, managed(nil), nil},
		"update":                      {managed(nil), managed(object{"agent_id": "a", "payload": nil}), nil},
		"destroy":                     {managed(nil), nil, []string{warning}},
		"destroy after an import":     {managed(object{"payload": nil, "message": nil}), nil, []string{warning}},
		"replace":                     {managed(nil), managed(object{"session_id": "t"}), []string{warning}},
		"replace with an unknown one": {managed(nil), managed(object{"session_id": unknown}), []string{warning}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diagnostics := p.plan(test.prior, test.proposed)
			requireExactly(t, diagnostics, test.want...)
		})
	}
}

// A payload of the same content is no change, whatever its form.
func TestSessionPayloadPlans(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
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
			planned, diagnostics := p.plan(before, proposed)
			requireNoErrors(t, diagnostics)
			if diff := cmp.Diff(want, planned, cmp.Comparer(func(a, b struct{ unknown bool }) bool { return a == b })); diff != "" {
				t.Errorf("unexpected plan (-want +got):\n%s", diff)
			}
		})
	}
	planned, _ := p.plan(nil, object{"session_id": "s", "payload": prior})
	if planned["payload"] != prior || planned["message"] != any(unknown) {
		t.Errorf("planned %v for a new resource", planned)
	}
}

// importing imports a session agent by its ID, or by its identity without one,
// and reads it, as Terraform does.
func (p *protocol) importing(id string, identity object) (state, after object, diagnostics []*tfprotov6.Diagnostic) {
	p.t.Helper()
	schemas, err := p.server.GetResourceIdentitySchemas(p.ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		p.t.Fatal(err)
	}
	typ := schemas.IdentitySchemas[sessionAgent].ValueType()
	req := &tfprotov6.ImportResourceStateRequest{TypeName: sessionAgent, ID: id}
	if identity != nil {
		req.Identity = &tfprotov6.ResourceIdentityData{IdentityData: p.dynamic(typ, identity)}
	}
	imported, err := p.server.ImportResourceState(p.ctx, req)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(imported.Diagnostics) > 0 {
		return nil, nil, imported.Diagnostics
	}
	read, err := p.server.ReadResource(p.ctx, &tfprotov6.ReadResourceRequest{
		TypeName:        sessionAgent,
		CurrentState:    imported.ImportedResources[0].State,
		CurrentIdentity: imported.ImportedResources[0].Identity,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return p.plain(p.schema.ResourceSchemas[sessionAgent].ValueType(), read.NewState), p.plain(typ, read.NewIdentity.IdentityData), read.Diagnostics
}

// Import takes the session's ID, sends nothing, and keeps identity and state
// in step.
func TestSessionAgentImport(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configured(t, s)
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
		_, _, diagnostics := p.importing(id, nil)
		requireExactly(t, diagnostics, "[] Unable to import session agent\nThe import ID must be the ID of a chat session. It "+want+".")
		_, _, diagnostics = p.importing("", object{"session_id": id})
		requireExactly(t, diagnostics, "[] Unable to import session agent\nThe session_id of the identity must be the ID of a chat session. It "+want+".")
	}
}

// A POST is never sent twice on a failure after which it may have been acted on.
func TestSessionAgentIsSentOnceOnAFailure(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithFault(func(*http.Request) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	}))
	_, diagnostics := configured(t, s, object{"max_retries": number("4")}).apply(nil, object{"session_id": "s"})
	requireError(t, diagnostics, "500 Internal Server Error")
	if got := len(s.Requests()); got != 1 {
		t.Errorf("sent %d requests", got)
	}
}
