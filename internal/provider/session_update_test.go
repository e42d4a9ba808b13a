// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const mayHaveTakenEffect = "The update may have taken effect, so the provider did not retry it. Before you send the update again, check outside Terraform which agent the session uses."

// Wrong arguments are reported at their attribute and without their value, by validation and,
// because they can be unknown then, before an action sends anything.
func TestSessionUpdateArguments(t *testing.T) {
	t.Parallel()
	const (
		noObject   = `[AttributeName("payload")] Invalid value for payload`
		emptyAgent = `[AttributeName("agent_id")] Invalid value for agent_id`
		conflict   = `[AttributeName("agent_id")] Invalid Attribute Combination`
		noSession  = `[AttributeName("session_id")] Invalid value for session_id`
	)
	for name, test := range map[string]struct {
		config object
		want   string
	}{
		"no session":        {object{"session_id": ""}, noSession},
		"empty agent":       {object{"session_id": "s", "agent_id": ""}, emptyAgent},
		"payload not JSON":  {object{"session_id": "s", "payload": "hunter22"}, noObject},
		"payload an array":  {object{"session_id": "s", "payload": "[]"}, noObject},
		"agent and payload": {object{"session_id": "s", "agent_id": "a", "payload": "{}"}, conflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			p := configuredProvider(t, s)
			requireError(t, errorsIn(p.validateResource(sessionAgent, test.config)), test.want)
			requireError(t, p.validateAction(test.config), test.want)
			// Terraform does not validate an action again whose arguments were not known before.
			_, diagnostics := p.invoke(test.config)
			if d := requireError(t, diagnostics, "Unable to update session agent"); strings.Contains(d.Detail, "hunter22") {
				t.Errorf("the error quotes the payload: %s", d.Detail)
			}
			if len(s.Requests()) > 0 {
				t.Errorf("sent %v", s.Sent())
			}
		})
	}
	p := newTestProvider(t)
	for _, config := range []object{
		{"session_id": unknown, "agent_id": unknown, "payload": unknown},
		{"session_id": "s", "payload": "{}"},
	} {
		requireNoErrors(t, p.validateResource(sessionAgent, config))
		requireNone(t, p.validateAction(config))
	}
}

// A message that is not that of a success is a warning, and is shown and stored
// without secrets, and at most 1,000 characters of it.
func TestSessionUpdateMessages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ message, want string }{
		"another":   {"queued", "queued"},
		"the token": {"for Bearer " + devserver.TokenWrite, "for Bearer ***"},
		"control":   {"sent\n\x1b[2J", "sent [2J"},
		"longer":    {strings.Repeat("ä", 3<<20), strings.Repeat("ä", 1000) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := json.Marshal(object{"id": 1, "message": test.message})
			if err != nil {
				t.Fatal(err)
			}
			p := configuredProvider(t, startServiceReturning(t, string(body)))
			warning := `with the message "` + test.want + `" instead of "success"`

			state, diagnostics := p.update(nil, object{"session_id": "s"})
			requireWarning(t, diagnostics, warning)
			if state["message"] != test.want {
				t.Errorf("stored the message %q", state["message"])
			}
			_, diagnostics = p.invoke(object{"session_id": "s"})
			requireWarning(t, diagnostics, warning)
		})
	}
}

// Only an update that cannot have reached the service is known to be without effect. A
// failed update keeps the state.
func TestSessionUpdateEffect(t *testing.T) {
	t.Parallel()
	// Nothing listens there anymore.
	gone := startService(t)
	listener := httptest.NewServer(nil)
	gone.BaseURL = listener.URL
	listener.Close()
	_, diagnostics := configuredProvider(t, gone).update(nil, object{"session_id": "s"})
	if d := requireError(t, diagnostics, "Unable to update session agent"); strings.Contains(d.Detail, "taken effect") {
		t.Errorf("nothing was sent, but the error is:\n%s", d.Detail)
	}
	prior := object{"session_id": "s", "agent_id": "a", "payload": nil, "triggers": nil, "on_rejection": nil, "message": "success"}
	for name, handler := range map[string]http.Handler{
		"no message": jsonHandler(200, `{}`), "500": devserver.ErrorHandler(500), "half a body": cutOff, "a page": jsonHandler(200, "<p>"),
	} {
		p := configuredProvider(t, startServiceWithFaults(t, faults{"": handler}))
		after, diagnostics := p.update(prior, object{"session_id": "s", "agent_id": "b"})
		requireError(t, diagnostics, "Unable to update session agent", mayHaveTakenEffect)
		if diff := cmp.Diff(prior, after); diff != "" {
			t.Errorf("%s: the failed update changed the state (-want +got):\n%s", name, diff)
		}
		_, diagnostics = p.invoke(object{"session_id": "s", "agent_id": "b"})
		requireError(t, diagnostics, "Unable to update session agent", mayHaveTakenEffect)
	}
}

// With on_rejection = "warn", what the service rejects is a warning, and is not sent again until
// an argument that is sent changes. Errors that do not concern the session remain errors.
func TestSessionUpdateRejections(t *testing.T) {
	t.Parallel()
	envelope := func(status int) http.Handler {
		return jsonHandler(status, `{"code":"C","message":"The session has ended."}`)
	}
	for name, test := range map[string]struct {
		response   http.Handler
		isRejected bool
	}{
		"400":                     {envelope(400), true},
		"404":                     {envelope(404), true},
		"409":                     {envelope(409), true},
		"410":                     {envelope(410), true},
		"422":                     {envelope(422), true},
		"401":                     {envelope(401), false},
		"403":                     {envelope(403), false},
		"429":                     {envelope(429), false},
		"500":                     {envelope(500), false},
		"404 of something else":   {jsonHandler(404, "<p>"), false},
		"half a body after a 200": {cutOff, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := configuredProvider(t, startServiceWithFaults(t, faults{"": test.response}))
			config := object{"session_id": "s", "agent_id": "a", "on_rejection": "warn"}
			state, diagnostics := p.update(nil, config)
			_, invoked := p.invoke(config)
			if !test.isRejected {
				requireError(t, diagnostics, updateFailed)
				requireError(t, invoked, updateFailed)
				return
			}
			for _, rejected := range [][]*tfprotov6.Diagnostic{diagnostics, invoked} {
				requireNoErrors(t, rejected)
				requireWarning(t, rejected, "The service rejected the update", `session "s"`, "The session has ended", "If the session has ended, remove it from the configuration")
			}
			if message, isSet := state["message"]; !isSet || message != nil {
				t.Errorf("stored the message %v", message)
			}
		})
	}
}
