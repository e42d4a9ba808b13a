// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// What cannot be read for one agent is a problem, not the end.
func TestWorkspaceAuditProblems(t *testing.T) {
	t.Parallel()
	faults := map[string]http.Handler{
		"/v1/agents/agt_jobs":                    devserver.ErrorHandler(403),
		"/v1/agents/agt_kiosk":                   jsonHandler(200, `{"agent":{"graph":{"nodes":{}},"safeguards":{"riskScore":"high"}}}`),
		"/v1/agents/agt_orders/analytics/stats":  devserver.ErrorHandler(404),
		"/v1/agents/agt_survey/analytics/stats":  jsonHandler(200, `<html>`),
		"/v1/agents/agt_trade":                   jsonHandler(404, `gone`),
		"/v1/agents/agt_scratch/analytics/stats": jsonHandler(200, `{"code":"NOT_FOUND","message":"Not found"}`),
	}
	s := startService(t, devserver.WithFault(func(r *http.Request) http.Handler { return faults[r.URL.Path] }))
	state, diagnostics := configured(t, s).read(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"today"}})
	requireNoErrors(t, diagnostics)

	type p = object
	want := list{
		p{"agent_id": "agt_jobs", "operation": "read agent", "status": number("403"), "code": "FORBIDDEN", "message": "Insufficient access"},
		p{"agent_id": "agt_kiosk", "operation": "read agent", "status": number("200"), "code": nil, "message": "agent.graph.nodes: expected an array, got an object; " +
			"agent.safeguards.riskScore: expected a number, got a string; currentUserMode: required, but missing"},
		p{"agent_id": "agt_orders", "operation": "read agent statistics (today)", "status": number("404"), "code": "NOT_FOUND", "message": "Not found"},
		p{"agent_id": "agt_scratch", "operation": "read agent statistics (today)", "status": number("200"), "code": "NOT_FOUND", "message": "Not found"},
		p{"agent_id": "agt_survey", "operation": "read agent statistics (today)", "status": number("200"), "code": nil, "message": "unexpected character at byte 1"},
		p{"agent_id": "agt_trade", "operation": "read agent", "status": number("404"), "code": nil, "message": "gone"},
	}
	if diff := cmp.Diff(want, state["problems"]); diff != "" {
		t.Errorf("unexpected problems (-want +got):\n%s", diff)
	}
	agents := state["agents"].(object)
	jobs := agents["agt_jobs"].(object)
	if jobs["name"] != "Careers" || jobs["revision"] != nil || jobs["state"] != nil {
		t.Errorf("got %v", jobs)
	}
	if diff := cmp.Diff(object{"today": unreadStats()}, agents["agt_orders"].(object)["stats"]); diff != "" {
		t.Errorf("unexpected statistics (-want +got):\n%s", diff)
	}
	// agt_jobs, agt_kiosk and agt_trade are published by the list alone.
	summary := state["summary"].(object)
	if summary["problems"] != number("6") || summary["published"] != number("6") || summary["locked"] != number("2") {
		t.Errorf("got the summary %v", summary)
	}

	if len(diagnostics) != 1 {
		t.Fatalf("got %d diagnostics, want one warning", len(diagnostics))
	}
	warning := describe(diagnostics[0])
	for _, text := range []string{
		"Workspace audit is incomplete", "6 problems occurred:", `agent "agt_jobs", read agent: 403, FORBIDDEN, Insufficient access`,
		"and 1 more", "summary.problems",
	} {
		if !strings.Contains(warning, text) {
			t.Errorf("the warning does not contain %q:\n%s", text, warning)
		}
	}
}

func jsonHandler(status int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
}

// A failure that concerns everything ends the audit with one error.
func TestWorkspaceAuditFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path    string
		handler http.Handler
		want    []string
	}{
		"401 for a definition":       {"/v1/agents/agt_gen000100", devserver.ErrorHandler(401), []string{"Unable to read agent", `agent "agt_gen000100"`, "401"}},
		"401 for statistics":         {"/v1/agents/agt_gen000100/analytics/stats", devserver.ErrorHandler(401), []string{"Unable to read agent statistics (today)", "401"}},
		"the workspace is not there": {"/v1/workspaces/larkspur", devserver.ErrorHandler(404), []string{"Unable to read workspace", "404"}},
		"the members are forbidden":  {"/v1/workspaces/larkspur/members", devserver.ErrorHandler(403), []string{"Unable to read members", "403"}},
		"the list is no list":        {"/v1/agents", jsonHandler(200, `{"agents":{}}`), []string{"Unable to read agents", "agents: expected an array, got an object"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, devserver.WithSeed(devserver.ManyAgents(200)), devserver.WithFault(func(r *http.Request) http.Handler {
				if r.URL.Path == test.path {
					return test.handler
				}
				return nil
			}))
			p := configured(t, s, object{"max_concurrent_requests": number("4"), "max_retries": number("1")})
			_, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"today"}})
			requireError(t, diagnostics, test.want...)
			// The agent in the middle fails: the other half is not requested.
			if got := len(s.Requests()); got > 240 {
				t.Errorf("sent %d requests", got)
			}
		})
	}
}

// One agent that fails for good is one problem, however it fails.
func TestWorkspaceAuditWithOneBadAgent(t *testing.T) {
	t.Parallel()
	envelope := func(status int, code, message string) problemCase {
		return problemCase{devserver.ErrorHandler(status), number(strconv.Itoa(status)), code, message}
	}
	tests := map[string]problemCase{
		"400":                  envelope(400, "BAD_REQUEST", "Invalid input data"),
		"403":                  envelope(403, "FORBIDDEN", "Insufficient access"),
		"404":                  envelope(404, "NOT_FOUND", "Not found"),
		"405":                  envelope(405, "METHOD_NOT_ALLOWED", "Method Not Allowed"),
		"409":                  envelope(409, "CONFLICT", "Conflict"),
		"410":                  envelope(410, "GONE", "Gone"),
		"422":                  envelope(422, "UNPROCESSABLE_ENTITY", "Unprocessable Entity"),
		"423":                  envelope(423, "LOCKED", "Locked"),
		"429":                  envelope(429, "TOO_MANY_REQUESTS", "Too Many Requests"),
		"451":                  envelope(451, "UNAVAILABLE_FOR_LEGAL_REASONS", "Unavailable For Legal Reasons"),
		"500":                  envelope(500, "INTERNAL_SERVER_ERROR", "Internal server error"),
		"502":                  envelope(502, "BAD_GATEWAY", "Bad Gateway"),
		"503":                  envelope(503, "SERVICE_UNAVAILABLE", "Service Unavailable"),
		"204":                  {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }), number("204"), nil, nil},
		"302":                  {redirect("https://elsewhere.example/login"), nil, nil, "redirected the request to https://elsewhere.example"},
		"a stall":              {http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), nil, nil, "within 400ms"},
		"a dropped connection": {drop(""), nil, nil, "the connection was closed"},
		"half a body":          {jsonHandler(200, `{"agent":{`), number("200"), nil, "the JSON text ends after 10 bytes"},
		"an error with 200":    {jsonHandler(200, `{"code":"ODD","message":"odd"}`), number("200"), "ODD", "odd"},
		"a response over the limit": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			chunk := make([]byte, 1<<20)
			for range 65 {
				_, _ = w.Write(chunk)
			}
		}), nil, nil, "larger than 64 MiB"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, devserver.WithSeed(devserver.ManyAgents(50)), devserver.WithFault(func(r *http.Request) http.Handler {
				if r.URL.Path == "/v1/agents/agt_gen000020" {
					return test.handler
				}
				return nil
			}))
			timeout := "1m"
			if name == "a stall" {
				timeout = "400ms"
			}
			p := configured(t, s, object{"max_retries": number("1"), "request_timeout": timeout})
			state, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur"})
			requireNoErrors(t, diagnostics)
			problems := state["problems"].(list)
			if len(problems) != 1 {
				t.Fatalf("got the problems %v", problems)
			}
			got := problems[0].(object)
			if text, _ := test.message.(string); text != "" && !strings.Contains(fmt.Sprint(got["message"]), text) {
				t.Errorf("got the message %v, want %q in it", got["message"], text)
			}
			delete(got, "message")
			want := object{"agent_id": "agt_gen000020", "operation": "read agent", "status": test.status, "code": test.code}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("unexpected problem (-want +got):\n%s", diff)
			}
			// The others were read.
			for id, agent := range state["agents"].(object) {
				if read := agent.(object)["revision"] != nil; read != (id != "agt_gen000020") {
					t.Errorf("%s has the revision %v", id, agent.(object)["revision"])
				}
			}
		})
	}
}

type problemCase struct {
	handler               http.Handler
	status, code, message any
}

// A list that is odd in one place is a problem of that place.
func TestWorkspaceAuditOfAnOddList(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "agt_\u00e9", "agt_e\u0301"
	tests := map[string]struct {
		list  string
		ids   []string
		want  list
		paths []string
	}{
		"an agent without an ID": {
			`{"agents":[{"id":"a"},{"name":"x"},{"id":""}]}`, []string{"a"},
			list{
				object{"agent_id": nil, "message": "An agent in the list has no ID and is not audited."},
				object{"agent_id": nil, "message": "An agent in the list has no ID and is not audited."},
			}, []string{"/v1/agents/a"},
		},
		"two agents with one ID": {
			`{"agents":[{"id":"a"},{"id":"b"},{"id":"a"}]}`, []string{"a", "b"},
			list{object{"agent_id": "a", "message": "More than one agent in the list has this ID. Only the first is audited."}},
			[]string{"/v1/agents/a", "/v1/agents/b"},
		},
		"IDs in two normal forms": {
			`{"agents":[{"id":"` + composed + `"},{"id":"` + decomposed + `"}]}`, []string{composed},
			list{object{"agent_id": composed, "message": `The IDs "agt_e\u0301" and "agt_\u00e9" differ in their Unicode normal form only, which ` +
				`Terraform does not preserve. Only the first agent is audited.`}},
			[]string{"/v1/agents/agt_e%CC%81"},
		},
		"an ID in decomposed form alone": {
			`{"agents":[{"id":"` + decomposed + `"}]}`, []string{composed}, list{}, []string{"/v1/agents/agt_e%CC%81"},
		},
		"IDs that cannot be sent": {
			`{"agents":[{"id":"."},{"id":".."}]}`, []string{".", ".."},
			list{
				object{"agent_id": ".", "message": `The ID "." is not a valid ID, because it has a special meaning in a URL path.`},
				object{"agent_id": "..", "message": `The ID ".." is not a valid ID, because it has a special meaning in a URL path.`},
			}, nil,
		},
		"a list that is not whole": {
			`{"agents":[{"id":"a"}],"nextCursor":"abc","total":250}`, []string{"a"},
			list{object{"agent_id": nil, "message": "The response suggests that there are more elements than it lists (evidence: the field nextCursor, the field total)."}},
			[]string{"/v1/agents/a"},
		},
		"a list with one sign of more": {
			`{"agents":[{"id":"a"}],"hasMore":true}`, []string{"a"},
			list{object{"agent_id": nil, "message": "The response suggests that there are more elements than it lists (evidence: the field hasMore)."}},
			[]string{"/v1/agents/a"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, devserver.WithFault(func(r *http.Request) http.Handler {
				switch {
				case r.URL.Path == "/v1/agents":
					return jsonHandler(200, test.list)
				case strings.HasPrefix(r.URL.Path, "/v1/agents/"):
					return jsonHandler(200, `{"agent":{},"currentUserMode":"read"}`)
				}
				return nil
			}))
			p := configured(t, s)
			state, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur"})
			requireNoErrors(t, diagnostics)
			if diff := cmp.Diff(test.ids, keys(state["agents"])); diff != "" {
				t.Errorf("unexpected agents (-want +got):\n%s", diff)
			}
			for _, problem := range state["problems"].(list) {
				for _, name := range []string{"operation", "status", "code"} {
					delete(problem.(object), name)
				}
			}
			if diff := cmp.Diff(test.want, state["problems"]); diff != "" {
				t.Errorf("unexpected problems (-want +got):\n%s", diff)
			}
			var sent []string
			for _, r := range s.Requests() {
				if strings.HasPrefix(r.Path, "/v1/agents/") {
					sent = append(sent, r.Path)
				}
			}
			slices.Sort(sent)
			if diff := cmp.Diff(test.paths, sent); diff != "" {
				t.Errorf("unexpected requests (-want +got):\n%s", diff)
			}
			if len(test.ids) == 1 {
				p.mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "agent_ids": list{test.ids[0]}})
			}
		})
	}
}

// A service at which nothing works ends the audit early, at its beginning and
// in the middle.
func TestWorkspaceAuditOfAnOutage(t *testing.T) {
	t.Parallel()
	var failed atomic.Int64
	several := func(w http.ResponseWriter, r *http.Request) {
		faults := []http.Handler{devserver.ErrorHandler(502), devserver.ErrorHandler(503), http.HandlerFunc(cutOff)}
		faults[failed.Add(1)%3].ServeHTTP(w, r)
	}
	tests := map[string]struct {
		fault http.Handler
		after int64 // reads of agents that succeed before
		most  int   // requests for agents
		want  []string
	}{
		"500 from the beginning":     {devserver.ErrorHandler(500), 0, 2 * 10, []string{"because the first 10 reads of individual agents all failed. The last error was:", "500"}},
		"dropped from the beginning": {drop(""), 0, 2*10 + 4, []string{"because the first 10 reads of individual agents all failed. The last error was:"}},
		"several from the beginning": {http.HandlerFunc(several), 0, 2*(10+4) + 4, []string{"because the first 10 reads of individual agents all failed. The last error was:"}},
		"several after a while":      {http.HandlerFunc(several), 100, 100 + 2*50, []string{"because the last 50 reads of individual agents all failed. The last error was:"}},
		"403 from the beginning":     {devserver.ErrorHandler(403), 0, 50, []string{"because the first 50 reads of individual agents all failed in the same way. The last error was:", "403", "permission to access these agents"}},
		"404 from the beginning":     {devserver.ErrorHandler(404), 0, 50, []string{"404", "may not have access to these agents"}},
		"500 after a while":          {devserver.ErrorHandler(500), 100, 100 + 2*50, []string{"because the last 50 reads of individual agents all failed. The last error was:", "500"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reads atomic.Int64
			s := startService(t, devserver.WithSeed(devserver.ManyAgents(500)), devserver.WithFault(func(r *http.Request) http.Handler {
				if strings.HasPrefix(r.URL.Path, "/v1/agents/") && reads.Add(1) > test.after {
					return test.fault
				}
				return nil
			}))
			p := configured(t, s, object{"max_concurrent_requests": number("1"), "max_retries": number("1")})
			_, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"today"}})
			requireError(t, diagnostics, append(test.want, "Unable to audit workspace")...)
			if got := len(s.Requests()); got > 3+test.most {
				t.Errorf("sent %d requests, want at most %d", got, 3+test.most)
			}
		})
	}
}

// Failures that concern agents go on: many at once, and of different kinds.
func TestWorkspaceAuditWithManyBadAgents(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	s := startService(t, devserver.WithSeed(devserver.ManyAgents(200)), devserver.WithFault(func(r *http.Request) http.Handler {
		if !strings.HasPrefix(r.URL.Path, "/v1/agents/") {
			return nil
		}
		switch n := reads.Add(1); {
		case n == 1 || n == 199:
			return nil
		case n%2 == 0:
			return devserver.ErrorHandler(403)
		default:
			return devserver.ErrorHandler(500)
		}
	}))
	p := configured(t, s, object{"max_concurrent_requests": number("1")})
	state, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur"})
	requireNoErrors(t, diagnostics)
	if got := state["summary"].(object)["problems"]; got != number("198") {
		t.Errorf("got %v problems", got)
	}
}

// Agents of another workspace than the one that is asked for are counted, with
// a warning.
func TestWorkspaceAuditOfForeignAgents(t *testing.T) {
	t.Parallel()
	state, diagnostics := configured(t, startService(t)).read(workspaceAuditType, object{"workspace_id": "ws_tidepool02"})
	requireNoErrors(t, diagnostics)
	if got := state["summary"].(object)["foreign_agents"]; got != number("11") {
		t.Errorf("got %v foreign agents", got)
	}
	if len(diagnostics) != 1 {
		t.Fatalf("got %d diagnostics, want one warning", len(diagnostics))
	}
	for _, text := range []string{"Audited agents belong to another workspace", `11 of 12 agents belong to a workspace other than "ws_tidepool02".`} {
		if !strings.Contains(describe(diagnostics[0]), text) {
			t.Errorf("the warning does not contain %q:\n%s", text, describe(diagnostics[0]))
		}
	}
}

// A single agent of another workspace is worth the warning. A workspace is
// named by its ID or its slug.
func TestWorkspaceAuditOfOneForeignAgent(t *testing.T) {
	t.Parallel()
	for ref, foreign := range map[string]bool{`"ws_other"`: true, `"ws_larkspur01"`: false, `"larkspur"`: false, `""`: false, "null": false} {
		s := startService(t, devserver.WithFault(func(r *http.Request) http.Handler {
			if r.URL.Path == "/v1/agents/agt_jobs" {
				return jsonHandler(200, `{"agent":{"tenancy":{"workspaceRef":`+ref+`}},"currentUserMode":"read"}`)
			}
			return nil
		}))
		_, diagnostics := configured(t, s).read(workspaceAuditType, object{"workspace_id": "larkspur", "agent_ids": list{"agt_jobs"}})
		requireNoErrors(t, diagnostics)
		warned := len(diagnostics) == 1 && diagnostics[0].Summary == "Audited agents belong to another workspace"
		if warned != foreign || !foreign && len(diagnostics) > 0 {
			t.Errorf("%s: got %v", ref, diagnostics)
		}
	}
}

// The definition decides whether an agent is published, and a list that says
// otherwise is a problem.
func TestWorkspaceAuditOfAPublishedConflict(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithFault(func(r *http.Request) http.Handler {
		switch r.URL.Path {
		case "/v1/agents":
			return jsonHandler(200, `{"agents":[{"id":"a","isPublished":true},{"id":"b","isPublished":true},{"id":"c"},{"id":"d","isPublished":false}]}`)
		case "/v1/agents/b":
			return jsonHandler(200, `{"agent":{"exposure":{"state":{}}},"currentUserMode":"read"}`)
		case "/v1/agents/d":
			return jsonHandler(200, `{"agent":{"exposure":{"state":{"published":true}}},"currentUserMode":"read"}`)
		case "/v1/agents/a", "/v1/agents/c":
			return jsonHandler(200, `{"agent":{"exposure":{"state":{"published":false}}},"currentUserMode":"read"}`)
		}
		return nil
	}))
	state, _ := configured(t, s).read(workspaceAuditType, object{"workspace_id": "larkspur"})
	published := object{}
	for id, agent := range state["agents"].(object) {
		published[id] = agent.(object)["is_published"]
	}
	if diff := cmp.Diff(object{"a": false, "b": true, "c": false, "d": true}, published); diff != "" {
		t.Errorf("unexpected values of is_published (-want +got):\n%s", diff)
	}
	if got := state["summary"].(object)["published"]; got != number("2") {
		t.Errorf("got %v published agents", got)
	}
	problems := state["problems"].(list)
	if len(problems) != 2 || problems[0].(object)["agent_id"] != "a" || problems[1].(object)["agent_id"] != "d" {
		t.Errorf("got the problems %v", problems)
	}
}
