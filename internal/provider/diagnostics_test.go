// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// fault is a response that is not what the API documents, and what the error about it says.
type fault struct {
	handler http.Handler
	want    []string
}

// commonFaults are what users meet most.
func commonFaults() map[string]fault {
	const (
		page        = "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Please log in</body></html>"
		mayBeOther  = "The response may come from something other than the service, such as a proxy, a firewall, or a login page. Check that base_url is "
		failed      = "The service, or a gateway in front of it, failed."
		unfit       = "200 OK for agent \"a-1\", but the response does not match the documented API: "
		ifCorrect   = "\n\nIf these are correct, report this to the service's operators"
		half        = `{"agent":{"ref":{"token":"shr_secret`
		noOperators = "\n\nReport this to the service's operators"
	)
	return map[string]fault{
		"400": {
			devserver.ErrorHandler(400, "first issue", "second issue"),
			[]string{"400 Bad Request for agent \"a-1\": Invalid input data (BAD_REQUEST).\n  - first issue\n  - second issue\n", "Correct the arguments"},
		},
		"401": {devserver.ErrorHandler(401), []string{"The token, which the token argument in the provider block sets, may be invalid or expired"}},
		"402": {devserver.ErrorHandler(402), []string{"402 Payment Required", "a different plan", "Check the workspace's plan and its payments."}},
		"403": {devserver.ErrorHandler(403), []string{"The token's owner does not have permission"}},
		"404": {
			devserver.ErrorHandler(404),
			[]string{`[AttributeName("agent_id")]`, "The agent may no longer exist, its ID may be misspelled, ", "The data source convo_agents lists the IDs of agents, which are neither names nor public IDs.", "If every request returns 404, check that base_url is "},
		},
		"404 of a gateway": {jsonHandler(404, page), []string{"[] ", `begins with "Log in Please log in"`, mayBeOther, "the IDs in the arguments"}},
		"410 without code": {jsonHandler(410, `{"message":"It is gone."}`), []string{"410 Gone for agent \"a-1\": It is gone.\n", mayBeOther}},
		"429":              {devserver.ErrorHandler(429), []string{"Set max_requests_per_second in the provider block, or the environment variable CONVO_MAX_REQUESTS_PER_SECOND, to a value within"}},
		"429 for an hour": {
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", "3600")
				devserver.ErrorHandler(429).ServeHTTP(w, r)
			}),
			[]string{"The service requires a wait of 1h0m0s before a retry, which is longer than the provider waits."},
		},
		"500": {devserver.ErrorHandler(500), []string{"500 Internal Server Error for agent \"a-1\": Internal server error (INTERNAL_SERVER_ERROR).", failed}},
		"502": {jsonHandler(502, page), []string{`The response begins with "Log in Please log in".`, failed}},
		"204": {jsonHandler(204, ""), []string{"200 OK is the only success status that the API documents."}},
		"a request ID": {
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Request-Id", "req-4711")
				devserver.ErrorHandler(500).ServeHTTP(w, r)
			}),
			[]string{"\nRequest ID: req-4711\n"},
		},
		"a page":            {jsonHandler(200, page), []string{"200 OK for agent \"a-1\", but the response does not match the documented API: not valid JSON (line 1, column 1).", mayBeOther, "the token, which the token argument"}},
		"a byte order mark": {jsonHandler(200, "\uFEFF{}"), []string{unfit + "the JSON text begins with a byte order mark.", noOperators}},
		"text after JSON":   {jsonHandler(200, "{}\n<!-- end -->"), []string{unfit + "more text follows the JSON text at line 2, column 1.", noOperators}},
		"another encoding": {
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Encoding", "br")
				jsonHandler(200, "\x8b\x00\x80{}").ServeHTTP(w, r)
			}),
			[]string{unfit + "the header Content-Encoding is \"br\", which was not requested.", noOperators},
		},
		"nothing":        {jsonHandler(200, ""), []string{unfit + "empty body.", mayBeOther}},
		"no object":      {jsonHandler(200, `[1]`), []string{unfit + "expected an object, got an array.", mayBeOther, ifCorrect}},
		"an empty list":  {jsonHandler(200, `[]`), []string{unfit + "expected an object, got an array.", mayBeOther, ifCorrect}},
		"another object": {jsonHandler(200, `{}`), []string{unfit + "agent: required, but null or missing.", mayBeOther, ifCorrect}},
		"another type":   {jsonHandler(200, `{"agent":{"graph":[1]}}`), []string{unfit + "agent.graph: expected an object", noOperators}},
		"half a body":    {jsonHandler(200, half), []string{unfit + "the JSON text ends in the middle of a value.", noOperators}},
		"an error": {
			jsonHandler(200, `{"code":"FORBIDDEN","message":"Insufficient access"}`),
			[]string{"200 OK for agent \"a-1\", but the response contains an error: Insufficient access (FORBIDDEN).", noOperators},
		},
		"a lost connection": {drop(""), []string{"The request for agent \"a-1\" failed: ", "base URL, which the base_url argument in the provider block or the environment variable CONVO_BASE_URL sets."}},
		"a short body": {
			drop("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + half),
			[]string{"the response ended prematurely, after 36 bytes", "Check whether a proxy or gateway"},
		},
		"a redirect": {http.RedirectHandler("https://elsewhere.example/login", http.StatusFound), []string{"302 Found for agent \"a-1\": the service redirected the request to https://elsewhere.example, but redirects are not followed.\n", "Check that base_url is "}},
	}
}

// An error says what happened and what to do, and nothing that the response contains
// beside messages.
func TestDiagnostics(t *testing.T) {
	t.Parallel()
	for name, test := range commonFaults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := configuredProvider(t, startServiceWithFaults(t, faults{"": test.handler}))
			_, diagnostics := p.read("convo_agent", object{"agent_id": "a-1"})
			d := requireError(t, diagnostics, append(test.want, "Unable to read agent\n")...)
			if strings.Contains(d.Detail, "shr_secret") {
				t.Errorf("the error contains a part of the definition: %s", d.Detail)
			}
		})
	}
}

// Advice is about the operation.
func TestAdviceOnOperations(t *testing.T) {
	t.Parallel()
	respond := func(status int) *testProvider {
		return configuredProvider(t, startServiceWithFaults(t, faults{"": devserver.ErrorHandler(status)}))
	}
	_, diagnostics := respond(400).read("convo_agents", object{})
	requireError(t, diagnostics, "Set them in query, such as query = { workspaceId")
	_, diagnostics = respond(400).read("convo_agent_stats", object{"agent_id": "a"})
	requireError(t, diagnostics, "Check the value of the period argument")
	_, diagnostics = respond(404).read("convo_agent_stats", object{"agent_id": "a"})
	requireError(t, diagnostics, "An agent that was never published may have no statistics.")
	_, diagnostics = respond(404).read("convo_agents", object{})
	requireError(t, diagnostics, "for the agents: Not found (NOT_FOUND).", "\n\nIf every request returns 404")
	_, diagnostics = respond(401).update(nil, object{"session_id": "s"})
	requireError(t, diagnostics, "The status can also mean that the session's agent is not published.")
	_, diagnostics = respond(403).update(nil, object{"session_id": "s"})
	requireError(t, diagnostics, "The token's owner may have permission to read, but not to update sessions.")
	_, diagnostics = respond(404).update(nil, object{"session_id": "s"})
	requireError(t, diagnostics, "The session may no longer exist, its ID may be misspelled, ", "Sessions can be on another host than agents.")
	s := startService(t)
	s.BaseURL = strings.Replace(s.BaseURL, "http:", "https:", 1)
	_, diagnostics = configuredProvider(t, s).read("convo_agents", object{})
	requireError(t, diagnostics, "server gave HTTP response to HTTPS client", "Check the scheme, host, and port of base_url.")
	listener := httptest.NewServer(nil)
	listener.Close() // Nothing listens there anymore.
	_, diagnostics = configuredProvider(t, service{BaseURL: listener.URL}).read("convo_agents", object{})
	requireError(t, diagnostics, "Check the scheme, host, and port of the base URL", "that the service is running")
}

// An error shows 20 issues, and counts the others.
func TestManyIssues(t *testing.T) {
	t.Parallel()
	issues := strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22")
	s := startServiceWithFaults(t, faults{"": devserver.ErrorHandler(400, issues...)})
	_, diagnostics := configuredProvider(t, s).read("convo_agent", object{"agent_id": "a"})
	requireError(t, diagnostics, "\n  - 1\n", "\n  - 20\n  - and 2 more\n")
}

// Nothing was sent, so an update has no effect.
func TestCanceledRun(t *testing.T) {
	t.Parallel()
	p := configuredProvider(t, startService(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.ctx = ctx
	_, diagnostics := p.read("convo_agents", object{})
	requireError(t, diagnostics, "The request for the agents failed: the run was canceled.")
	_, diagnostics = p.update(nil, object{"session_id": "s"})
	if d := requireError(t, diagnostics, "the run was canceled."); strings.Contains(d.Detail, mayHaveTakenEffect) {
		t.Errorf("nothing was sent, but the error is:\n%s", d.Detail)
	}
}
