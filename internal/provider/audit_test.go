// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const workspaceAudit = "convo_workspace_audit"

// expectedFullAudit is what an audit has of the agent agt_returns.
func expectedFullAudit() object {
	audited := expectedFullSummary()
	for name, value := range (object{
		"current_user_mode": "write",
		"revision":          "42",
		"labels":            list{"service", "returns", "größe"},
		"state":             object{"published": true, "archived": false, "locked": false},
		"access":            object{"url": "https://chat.larkspur-bicycles.example/returns", "domain": "chat.larkspur-bicycles.example"},
		"risk_score":        number("12.75"),
		"workspace_ref":     "ws_larkspur01",
		"node_count":        number("5"),
		"link_count":        number("3"),
		"memory_count":      number("3"),
		"entrypoint_count":  number("2"),
		"stats": object{
			"today":     counters("7", "3", "1"),
			"last7Days": counters("70", "26", "12"),
		},
	}) {
		audited[name] = value
	}
	return audited
}

// expectedSparseAudit is what an audit has of the agent agt_scratch.
func expectedSparseAudit() object {
	audited := expectedSparseSummary()
	for name, value := range (object{
		"current_user_mode": "write",
		"revision":          "1",
		"labels":            list{},
		"state":             object{"published": false, "archived": nil, "locked": nil},
		"access":            object{"url": "", "domain": nil},
		"risk_score":        number("0"),
		"workspace_ref":     nil,
		"node_count":        number("0"),
		"link_count":        number("0"),
		"memory_count":      nil,
		"entrypoint_count":  number("1"),
		"stats":             object{"today": counters("0", "0", "0"), "last7Days": counters("0", "0", "0")},
	}) {
		audited[name] = value
	}
	return audited
}

func counters(views, starts, completed string) object {
	return object{"total_views": number(views), "total_starts": number(starts), "total_completed": number(completed)}
}

// unreadStats are the counters of a period that could not be read.
func unreadStats() object {
	return object{"total_views": nil, "total_starts": nil, "total_completed": nil}
}

func keys(m any) []string {
	var keys []string
	for key := range m.(object) {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func TestWorkspaceAudit(t *testing.T) {
	t.Parallel()
	s := startService(t)
	state := configured(t, s).mustRead(workspaceAudit, object{
		"workspace_id": "larkspur", "stats_periods": list{"today", "last7Days"}, "agent_query": object{"folder": "a"},
	})

	workspace := expectedWorkspace()
	delete(workspace, "workspace_id")
	delete(workspace, "get_default")
	want := object{
		"workspace": workspace,
		"members":   expectedMembers()["members"],
		"problems":  list{},
		"summary": object{
			"agents": number("12"), "published": number("6"), "archived": number("2"), "locked": number("3"), "problems": number("0"),
			"members":         number("8"),
			"members_by_role": object{"ADMIN": number("2"), "BILLING": number("1"), "GUEST": number("2"), "MEMBER": number("3")},
		},
	}
	for name, value := range want {
		if diff := cmp.Diff(value, state[name]); diff != "" {
			t.Errorf("unexpected %s (-want +got):\n%s", name, diff)
		}
	}
	agents := state["agents"].(object)
	if diff := cmp.Diff(expectedAgentIDs(), anyList(keys(agents))); diff != "" {
		t.Errorf("unexpected agents (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(expectedFullAudit(), agents["agt_returns"]); diff != "" {
		t.Errorf("unexpected agent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(expectedSparseAudit(), agents["agt_scratch"]); diff != "" {
		t.Errorf("unexpected agent (-want +got):\n%s", diff)
	}
	// Three for the workspace, and three for each agent.
	if got := len(s.Requests()); got != 3+12*3 {
		t.Errorf("sent %d requests", got)
	}
	if !slices.ContainsFunc(s.Requests(), func(r devserver.Request) bool { return r.Path == "/v1/agents" && r.RawQuery == "folder=a" }) {
		t.Error("the query of the list was not sent")
	}
}

func anyList(texts []string) list {
	var result list
	for _, text := range texts {
		result = append(result, text)
	}
	return result
}

// Without definitions and periods only three requests are sent.
func TestWorkspaceAuditWithoutDefinitions(t *testing.T) {
	t.Parallel()
	s := startService(t)
	state := configured(t, s).mustRead(workspaceAudit, object{"workspace_id": "larkspur", "definitions": false})

	got := s.paths()
	slices.Sort(got)
	want := []string{"GET /v1/agents", "GET /v1/workspaces/larkspur", "GET /v1/workspaces/larkspur/members"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
	agent := expectedFullSummary()
	for _, name := range []string{
		"current_user_mode", "revision", "labels", "state", "access", "risk_score", "workspace_ref",
		"node_count", "link_count", "memory_count", "entrypoint_count",
	} {
		agent[name] = nil
	}
	agent["stats"] = object{}
	if diff := cmp.Diff(agent, state["agents"].(object)["agt_returns"]); diff != "" {
		t.Errorf("unexpected agent (-want +got):\n%s", diff)
	}
	summary := state["summary"].(object)
	if summary["published"] != number("6") || summary["archived"] != nil || summary["locked"] != nil {
		t.Errorf("got the summary %v", summary)
	}
}

func TestWorkspaceAuditOfSomeAgents(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configured(t, s)
	state := p.mustRead(workspaceAudit, object{"workspace_id": "larkspur", "agent_ids": list{"agt_trade", "agt_jobs"}})
	if diff := cmp.Diff([]string{"agt_jobs", "agt_trade"}, keys(state["agents"])); diff != "" {
		t.Errorf("unexpected agents (-want +got):\n%s", diff)
	}
	if got := len(s.Requests()); got != 5 {
		t.Errorf("sent %v", s.paths())
	}

	none := p.mustRead(workspaceAudit, object{"workspace_id": "larkspur", "agent_ids": list{}})
	if got := keys(none["agents"]); len(got) > 0 {
		t.Errorf("an empty set means %v", got)
	}

	_, diagnostics := p.read(workspaceAudit, object{"workspace_id": "larkspur", "agent_ids": list{"agt_jobs", "agt_z", "agt_a"}})
	d := requireError(t, diagnostics, "Unable to read workspace audit", `does not have "agt_a", "agt_z"`)
	if d.Attribute.String() != `AttributeName("agent_ids")` {
		t.Errorf("the error is at %s", d.Attribute)
	}
}

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
	state, diagnostics := configured(t, s).read(workspaceAudit, object{"workspace_id": "larkspur", "stats_periods": list{"today"}})
	requireNoErrors(t, diagnostics)

	type p = object
	want := list{
		p{"agent_id": "agt_jobs", "operation": "read agent", "status": number("403"), "code": "FORBIDDEN", "message": "Insufficient access"},
		p{"agent_id": "agt_kiosk", "operation": "read agent", "status": number("200"), "code": nil, "message": "agent.graph.nodes: expected an array, got an object; " +
			"agent.safeguards.riskScore: expected a number, got a string; currentUserMode: is missing"},
		p{"agent_id": "agt_orders", "operation": "read agent statistics of today", "status": number("404"), "code": "NOT_FOUND", "message": "Not found"},
		p{"agent_id": "agt_scratch", "operation": "read agent statistics of today", "status": number("200"), "code": "NOT_FOUND", "message": "Not found"},
		p{"agent_id": "agt_survey", "operation": "read agent statistics of today", "status": number("200"), "code": nil, "message": "the document is not JSON at byte 1"},
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
		"The workspace could be read only in part", "problems (6)", `agent "agt_jobs": unable to read agent: 403, FORBIDDEN, Insufficient access`,
		"and 1 more", "summary.problems",
	} {
		if !strings.Contains(warning, text) {
			t.Errorf("the warning does not say %q:\n%s", text, warning)
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

// What concerns all fails the read with one error, and at once.
func TestWorkspaceAuditFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path    string
		handler http.Handler
		want    []string
	}{
		"401 of a definition":        {"/v1/agents/agt_gen000500", devserver.ErrorHandler(401), []string{"Unable to read agent", `agent "agt_gen000500"`, "401"}},
		"500 of statistics":          {"/v1/agents/agt_gen000500/analytics/stats", devserver.ErrorHandler(500), []string{"Unable to read agent statistics of today", "500", "after 2 attempts"}},
		"a connection that drops":    {"/v1/agents/agt_gen000500", drop(""), []string{"Unable to read agent", "There is no answer"}},
		"the workspace is not there": {"/v1/workspaces/larkspur", devserver.ErrorHandler(404), []string{"Unable to read workspace", "404"}},
		"the members are forbidden":  {"/v1/workspaces/larkspur/members", devserver.ErrorHandler(403), []string{"Unable to read members", "403"}},
		"the list is no list":        {"/v1/agents", jsonHandler(200, `{"agents":{}}`), []string{"Unable to read agents", "agents: expected an array, got an object"}},
		"an agent without an id":     {"/v1/agents", jsonHandler(200, `{"agents":[{"id":"a"},{"name":"x"}]}`), []string{"Unable to read agents", "an agent has no id"}},
		"two agents with one id":     {"/v1/agents", jsonHandler(200, `{"agents":[{"id":"a"},{"id":"a"}]}`), []string{"Unable to read agents", `more than one agent has the id "a"`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, devserver.WithSeed(devserver.ManyAgents(1000)), devserver.WithFault(func(r *http.Request) http.Handler {
				if r.URL.Path == test.path {
					return test.handler
				}
				return nil
			}))
			p := configured(t, s, object{"max_concurrent_requests": number("4"), "max_retries": number("1")})
			_, diagnostics := p.read(workspaceAudit, object{"workspace_id": "larkspur", "stats_periods": list{"today"}})
			requireError(t, diagnostics, test.want...)
			// The agent in the middle fails: the other half is not asked for.
			if got := len(s.Requests()); got > 1200 {
				t.Errorf("sent %d requests", got)
			}
		})
	}
}

// However the answers arrive, the result is the same, and never more requests
// are in flight than configured.
func TestWorkspaceAuditIsIndependentOfTheOrder(t *testing.T) {
	t.Parallel()
	var results []object
	for _, concurrency := range []int64{1, 8} {
		f := &flaky{tooMany: 5}
		s := startServiceWithin(t, f.count, devserver.WithSeed(devserver.ManyAgents(150)), devserver.WithFault(f.fault))
		p := configured(t, s, object{"max_concurrent_requests": number(strconv.FormatInt(concurrency, 10)), "max_retries": number("20")})
		results = append(results, p.mustRead(workspaceAudit, object{"workspace_id": "larkspur", "stats_periods": list{"allTime"}}))
		if most := f.most.Load(); most > concurrency {
			t.Errorf("%d requests were in flight at once", most)
		}
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("the results differ:\n%s", diff)
	}
}

// A cancelled audit ends at once, with one error, and asks for nothing more.
func TestWorkspaceAuditIsCancelled(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 1000)
	s := startService(t, devserver.WithSeed(devserver.ManyAgents(100)), devserver.WithFault(func(r *http.Request) http.Handler {
		if !strings.HasPrefix(r.URL.Path, "/v1/agents/") {
			return nil
		}
		arrived <- struct{}{}
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	}))
	p := configured(t, s, object{"max_concurrent_requests": number("4")})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p.ctx = ctx
	go func() {
		<-arrived
		cancel()
	}()
	_, diagnostics := p.read(workspaceAudit, object{"workspace_id": "larkspur"})
	requireError(t, diagnostics, "Unable to read agent", "the run was cancelled")
	if got := len(s.Requests()); got > 3+4 {
		t.Errorf("sent %d requests", got)
	}
}

// TF_LOG tells how far a long audit is.
func TestWorkspaceAuditLogsItsProgress(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithSeed(devserver.ManyAgents(120)))
	p := configured(t, s)
	var log bytes.Buffer
	p.ctx = tflogtest.RootLogger(p.ctx, &log)
	p.mustRead(workspaceAudit, object{"workspace_id": "larkspur", "stats_periods": list{"today"}})
	for _, progress := range []string{`"done":100,"of":240`, `"done":200,"of":240`, `"done":240,"of":240`} {
		if !strings.Contains(log.String(), progress) {
			t.Errorf("the log does not have %s", progress)
		}
	}
}

func TestWorkspaceAuditArguments(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	tests := map[string]struct {
		config object
		want   []string
	}{
		"empty workspace": {object{"workspace_id": ""}, []string{"workspace_id", "must not be empty"}},
		"period":          {object{"workspace_id": "w", "stats_periods": list{"today", "never"}}, []string{"stats_periods", "never", "last7Days"}},
		"null period":     {object{"workspace_id": "w", "stats_periods": list{nil}}, []string{"stats_periods"}},
		"empty id":        {object{"workspace_id": "w", "agent_ids": list{""}}, []string{"agent_ids", "must not be empty"}},
		"null in query":   {object{"workspace_id": "w", "agent_query": object{"a": nil}}, []string{"agent_query"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireError(t, p.validateData(workspaceAudit, test.config), test.want...)
		})
	}
}
