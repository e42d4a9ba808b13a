// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
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
	if len(diagnostics) != 1 || diagnostics[0].Severity != tfprotov6.DiagnosticSeverityWarning ||
		diagnostics[0].Summary != "The session keeps its agent" {
		t.Errorf("got %v, want one warning", diagnostics)
	}
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
	requireError(t, diagnostics, "Unable to update session agent", "400 Bad Request", "Check that the session is active and that agent_id names an agent.")
	if diff := cmp.Diff(prior, after); diff != "" {
		t.Errorf("a failed update changed the state (-want +got):\n%s", diff)
	}

	reader := configured(t, s, object{"token": devserver.TokenRead})
	_, diagnostics = reader.apply(nil, object{"session_id": "ses_orders_open"})
	requireError(t, diagnostics, "403 Forbidden", "has no permission")
}

func TestSessionAgentAnswers(t *testing.T) {
	t.Parallel()
	config := object{"session_id": "s"}

	// Fields that the interface does not name are no errors.
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
		`{}`:               "message: is missing",
		`{"message":null}`: "message: is null",
		`[]`:               "expected an object, got an array",
		``:                 "empty",
		`{"code":"NOT_FOUND","message":"Not found"}`: "Not found (NOT_FOUND)",
		`{"code":0,"message":null}`:                  "message: is null",
	} {
		state, diagnostics := configured(t, responding(t, body)).apply(nil, config)
		requireError(t, diagnostics, "Unable to update session agent", "200 OK", want)
		if state != nil {
			t.Errorf("%s: got the state %v", body, state)
		}
	}
}

func TestSessionAgentConfiguration(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	tests := map[string]struct {
		config object
		want   []string
	}{
		"no session":       {object{"session_id": ""}, []string{"session_id", "must not be empty"}},
		"dots":             {object{"session_id": ".."}, []string{"session_id"}},
		"empty agent":      {object{"session_id": "s", "agent_id": ""}, []string{"agent_id", "must not be empty"}},
		"agent, payload":   {object{"session_id": "s", "agent_id": "a", "payload": "{}"}, []string{"agent_id", "payload"}},
		"payload no JSON":  {object{"session_id": "s", "payload": "{"}, []string{"payload", "JSON"}},
		"payload an array": {object{"session_id": "s", "payload": "[]"}, []string{"payload", "must be a JSON object"}},
		"payload null":     {object{"session_id": "s", "payload": "null"}, []string{"payload", "must be a JSON object"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireError(t, p.validateResource(sessionAgent, test.config), test.want...)
		})
	}
	requireNoErrors(t, p.validateResource(sessionAgent, object{"session_id": unknown, "agent_id": unknown, "triggers": object{"a": unknown}}))
}

// Import takes the session's id, sends nothing, and keeps identity and state
// in step.
func TestSessionAgentImport(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configured(t, s)
	imported, err := p.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: sessionAgent, ID: "ses_orders_open"})
	if err != nil {
		t.Fatal(err)
	}
	requireNoErrors(t, imported.Diagnostics)
	read, err := p.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName:        sessionAgent,
		CurrentState:    imported.ImportedResources[0].State,
		CurrentIdentity: imported.ImportedResources[0].Identity,
	})
	if err != nil {
		t.Fatal(err)
	}
	requireNoErrors(t, read.Diagnostics)
	state := p.plain(p.schema.ResourceSchemas[sessionAgent].ValueType(), read.NewState)
	want := object{"session_id": "ses_orders_open", "agent_id": nil, "payload": nil, "triggers": nil, "message": nil}
	if diff := cmp.Diff(want, state); diff != "" {
		t.Errorf("unexpected state (-want +got):\n%s", diff)
	}
	if read.NewIdentity == nil {
		t.Error("there is no identity after the read")
	}
	if len(s.Requests()) > 0 {
		t.Errorf("the import sent %v", s.paths())
	}

	refused, err := p.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: sessionAgent, ID: ".."})
	if err != nil {
		t.Fatal(err)
	}
	requireError(t, refused.Diagnostics, "Unable to import session agent", `".."`)
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
