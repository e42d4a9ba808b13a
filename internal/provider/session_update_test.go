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

// Wrong arguments are reported at their attribute and without their value, by
// validation and, because they can be unknown then, before an action sends
// anything.
func TestSessionArguments(t *testing.T) {
	t.Parallel()
	const noObject = "[AttributeName(\"payload\")] Invalid value for payload\nThe value must be a JSON object, such as the result of jsonencode({ ... })."
	const emptyAgent = "[AttributeName(\"agent_id\")] Invalid Attribute Value Length\nAttribute agent_id string length must be at least 1, got: 0"
	const conflict = "[AttributeName(\"agent_id\")] Invalid Attribute Combination\nAttribute \"payload\" cannot be specified when \"agent_id\" is specified"
	sessionID := func(text string) string {
		return "[AttributeName(\"session_id\")] Invalid value for session_id\nThe value " + text + "."
	}
	tests := map[string]struct {
		config object
		want   []string
	}{
		"no session":        {object{"session_id": ""}, []string{sessionID("must not be empty")}},
		"two dots":          {object{"session_id": ".."}, []string{sessionID(`".." is not a valid ID, because it has a special meaning in a URL path`)}},
		"a line break":      {object{"session_id": "s\n"}, []string{sessionID("must not begin or end with whitespace")}},
		"white space":       {object{"session_id": " "}, []string{sessionID("must not begin or end with whitespace")}},
		"empty agent":       {object{"session_id": "s", "agent_id": ""}, []string{emptyAgent}},
		"payload empty":     {object{"session_id": "s", "payload": ""}, []string{noObject}},
		"payload not JSON":  {object{"session_id": "s", "payload": "hunter22"}, []string{noObject}},
		"payload cut off":   {object{"session_id": "s", "payload": `{"key":"hunter22"`}, []string{noObject}},
		"payload and more":  {object{"session_id": "s", "payload": `{} {"key":"hunter22"}`}, []string{noObject}},
		"payload an array":  {object{"session_id": "s", "payload": "[]"}, []string{noObject}},
		"payload a null":    {object{"session_id": "s", "payload": "null"}, []string{noObject}},
		"agent and payload": {object{"session_id": "s", "agent_id": "a", "payload": "{}"}, []string{conflict}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			p := configuredProvider(t, s)
			requireExactly(t, p.validateResource(sessionAgent, test.config), test.want...)
			requireExactly(t, p.validateAction(test.config), test.want...)
			// Terraform does not validate an action again whose arguments were not known before.
			_, diagnostics := p.invoke(test.config)
			d := requireError(t, diagnostics, "Unable to update session agent", "The arguments cannot be sent")
			if strings.Contains(d.Detail, "hunter22") {
				t.Errorf("the error quotes the payload: %s", d.Detail)
			}
			if len(s.Requests()) > 0 {
				t.Errorf("sent %v", s.paths())
			}
		})
	}
	p := newTestProvider(t)
	for _, config := range []object{
		{"session_id": unknown, "agent_id": unknown, "payload": unknown},
		{"session_id": "s", "agent_id": "a", "payload": unknown},
		{"session_id": "s", "agent_id": unknown, "payload": "{}"},
		{"session_id": "s", "payload": "{}"},
	} {
		requireExactly(t, p.validateResource(sessionAgent, config))
		requireExactly(t, p.validateAction(config))
	}
}

// A message that is not that of a success is a warning, and is shown and stored
// without secrets, without what a terminal acts on, and at most 1,000 characters
// of it.
func TestSessionMessages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ message, want string }{
		"another":               {"queued", "queued"},
		"empty":                 {"", ""},
		"the token":             {"for Bearer " + devserver.TokenWrite, "for ***"},
		"the value of a header": {"for gateway-secret", "for ***"},
		"escape sequences":      {"\x1b[31mred\x00", "[31mred"},
		"as long as can be":     {strings.Repeat("ä", 1000), strings.Repeat("ä", 1000)},
		"longer":                {strings.Repeat("ä", 3<<20), strings.Repeat("ä", 1000) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := json.Marshal(object{"message": test.message})
			if err != nil {
				t.Fatal(err)
			}
			p := configuredProvider(t, startServiceReturning(t, string(body)), object{"headers": object{"X-Gateway-Key": "gateway-secret"}})
			warning := "[] The service did not confirm the update\nThe service returned 200 OK for session \"s\", but with the message \"" +
				test.want + "\" instead of \"success\". Before you rely on the update, check outside Terraform which agent the session uses."

			state, diagnostics := p.apply(nil, object{"session_id": "s"})
			requireNoErrors(t, diagnostics)
			requireExactly(t, diagnostics, warning+"")
			if state["message"] != test.want {
				t.Errorf("stored the message %q", state["message"])
			}

			progress, diagnostics := p.invoke(object{"session_id": "s"})
			requireNoErrors(t, diagnostics)
			requireExactly(t, diagnostics, warning)
			if diff := cmp.Diff([]string{`Updating session "s" ...`, `The service returned "` + test.want + `".`}, progress); diff != "" {
				t.Errorf("unexpected progress (-want +got):\n%s", diff)
			}
		})
	}
}

// Advice about the request body is present only if the service does not name
// the cause.
func TestSessionAdvice(t *testing.T) {
	t.Parallel()
	const (
		generic = `{"code":"BAD_REQUEST","message":"Invalid input data","issues":[]}`
		named   = "Correct the arguments that the service's message above rejects. If the session has ended, it can no longer be updated, so remove it from the configuration."
		unnamed = "Check that the session is active and, if agent_id is set, that it is the ID of an agent. The API does not document the request body. If the service expects a different body, change agent_id or payload, or set session_agent_parameter in the provider block."
	)
	tests := map[string]struct {
		body   string
		config object
		want   string
	}{
		"an agent":        {generic, object{"session_id": "s", "agent_id": "a"}, unnamed},
		"a payload":       {generic, object{"session_id": "s", "payload": "{}"}, unnamed},
		"neither":         {generic, object{"session_id": "s"}, unnamed},
		"issues":          {`{"code":"BAD_REQUEST","message":"Invalid input data","issues":[{"message":"agentId is locked"}]}`, object{"session_id": "s"}, named},
		"another message": {`{"code":"BAD_REQUEST","message":"The agent is locked"}`, object{"session_id": "s"}, unnamed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := configuredProvider(t, startServiceWithFaults(t, faults{"": jsonHandler(http.StatusBadRequest, test.body)}))
			_, resource := p.apply(nil, test.config)
			_, action := p.invoke(test.config)
			for _, diagnostics := range [][]*tfprotov6.Diagnostic{resource, action} {
				d := requireError(t, diagnostics, "Unable to update session agent", "400 Bad Request", ` for session "s"`)
				if advice := d.Detail[strings.LastIndex(d.Detail, "\n\n")+2:]; advice != test.want {
					t.Errorf("got the advice %q, want %q", advice, test.want)
				}
				if strings.Contains(d.Detail, "may have taken effect") {
					t.Errorf("a rejected update did not take effect:\n%s", d.Detail)
				}
			}
		})
	}
}

// Only an update that cannot have reached the service is known to be without effect.
func TestUncertainUpdates(t *testing.T) {
	t.Parallel()
	// Nothing listens there anymore.
	gone := startService(t)
	listener := httptest.NewServer(nil)
	gone.BaseURL = listener.URL
	listener.Close()
	_, diagnostics := configuredProvider(t, gone).apply(nil, object{"session_id": "s"})
	if d := requireError(t, diagnostics, "Unable to update session agent"); strings.Contains(d.Detail, "taken effect") {
		t.Errorf("nothing was sent, but the error is:\n%s", d.Detail)
	}
	for name, test := range map[string]struct {
		status     int
		body, want string
	}{
		"no JSON":             {status: 200, body: "<html>", want: "not valid JSON"},
		"nothing":             {status: 200, body: "", want: "empty"},
		"cut off":             {status: 200, body: `{"message":"succ`, want: "not valid JSON"},
		"an array":            {status: 200, body: `[]`, want: "expected an object, got an array"},
		"no message":          {status: 200, body: `{}`, want: "message: required, but missing"},
		"a null":              {status: 200, body: `{"message":null}`, want: "message: expected a string, got null"},
		"a code and a null":   {status: 200, body: `{"code":0,"message":null}`, want: "message: expected a string, got null"},
		"an error":            {status: 200, body: `{"code":"NOT_FOUND","message":"Not found"}`, want: "Not found (NOT_FOUND)"},
		"an error of no text": {status: 200, body: `{"code":"LOCKED","message":""}`, want: "the response is an error"},
		"another success":     {status: 202, body: `{"message":"success"}`, want: "202 Accepted"},
		"a failure":           {status: 500, body: `{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error"}`, want: "500 Internal Server Error"},
		"of a gateway":        {status: 504, body: ``, want: "504 Gateway Timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServiceWithFaults(t, faults{"": jsonHandler(test.status, test.body)})
			state, diagnostics := configuredProvider(t, s, object{"max_retries": number("4")}).apply(nil, object{"session_id": "s"})
			d := requireError(t, diagnostics, "Unable to update session agent", test.want, mayHaveTakenEffect)
			if strings.Contains(d.Detail, "Try again") {
				t.Errorf("the advice is to send the update again:\n%s", d.Detail)
			}
			if state != nil || len(s.Requests()) != 1 {
				t.Errorf("got the state %v after %d requests", state, len(s.Requests()))
			}
		})
	}
	// A message is a success, whatever undocumented fields there are.
	for _, code := range []string{`""`, `0`, `"OK"`} {
		state, diagnostics := configuredProvider(t, startServiceReturning(t, `{"message":"success","code":`+code+`}`)).apply(nil, object{"session_id": "s"})
		requireExactly(t, diagnostics)
		if state["message"] != "success" {
			t.Errorf("%s: got %v", code, state)
		}
	}
}

// An update is retried only after a 429, because the service can have executed
// any other request that failed.
func TestSessionUpdateRetries(t *testing.T) {
	t.Parallel()
	for name, handler := range temporaryFaults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, devserver.WithFault(firstFaults(4, handler)))
			_, diagnostics := configuredProvider(t, s, object{"max_retries": nil}).apply(nil, object{"session_id": "ses_orders_open"})
			want := 1
			if name == "429" {
				want = 5
			}
			if failed := len(errorsIn(diagnostics)) > 0; failed != (want == 1) {
				t.Errorf("got %v", diagnostics)
			}
			if got := len(s.Requests()); got != want {
				t.Errorf("sent %d requests, want %d", got, want)
			}
		})
	}
}
