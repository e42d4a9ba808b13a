// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// If the members or the agents cannot be listed, the audit does not wait for the other read. A wrong
// workspace ID, which can make all of them fail, is reported as such.
func TestWorkspaceAuditFailsAtOnce(t *testing.T) {
	t.Parallel()
	const workspace, members, agents = "/v1/workspaces/larkspur", "/v1/workspaces/larkspur/members", "/v1/agents"
	for name, test := range map[string]struct {
		faults faults
		want   string
	}{
		"members": {faults{members: devserver.ErrorHandler(403), agents: http.HandlerFunc(hang)}, "Unable to read members"},
		"agents":  {faults{members: http.HandlerFunc(hang), agents: devserver.ErrorHandler(400)}, "Unable to read agents"},
		"no list": {faults{members: http.HandlerFunc(hang), agents: jsonHandler(200, `{"agents":{}}`)}, "agents: expected an array, got an object"},
		"token":   {faults{"": devserver.ErrorHandler(401)}, "Unable to read workspace"},
		"all":     {faults{workspace: devserver.ErrorHandler(404), members: devserver.ErrorHandler(404), agents: devserver.ErrorHandler(404)}, `[AttributeName("workspace_id")] Unable to read workspace`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := configuredProvider(t, startServiceWithFaults(t, test.faults), object{"request_timeout": "2m"})
			begin := time.Now()
			_, diagnostics := p.read(workspaceAuditType, larkspurAudit(nil))
			requireError(t, diagnostics, test.want)
			if took := time.Since(begin); took > time.Minute { // A request that hangs would take two.
				t.Errorf("the audit took %s", took)
			}
		})
	}
}

// The definitions of a past-due workspace can all be a 404. That never ends the
// audit, but after 20 failures the rest is not requested.
func TestWorkspaceAuditOfAPastDueWorkspace(t *testing.T) {
	t.Parallel()
	s := startService(t, withSeed(devserver.ManyAgents(90)), withFault(func(r *http.Request) http.Handler {
		if isDefinition, _ := path.Match("/v1/agents/*", r.URL.Path); isDefinition {
			return devserver.ErrorHandler(404)
		}
		return nil
	}))
	p := configuredProvider(t, s, object{"max_concurrent_requests": number("8")})
	state, diagnostics := p.read(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"allTime"}, "include_graph_findings": true}))
	requireProblems(t, state, object{
		"kind": "read_failed", "operation": "read agent", "status": number("404"), "code": "NOT_FOUND",
		"message": "Not found. 16 reads in a row failed, so the others were not attempted. The workspace is past due or suspended, and some " +
			"services then withhold the definitions of its agents.",
	})
	requireWarning(t, diagnostics, "Workspace audit is incomplete")
	// The rest of the audit is there.
	agent := state["agents"].(object)["agt_gen000000"].(object)
	if views := agent["stats"].(object)["allTime"].(object)["total_views"]; views == nil || agent["is_locked"] != nil {
		t.Errorf("got %v", agent)
	}
	if got := len(s.Requests()); got < 3+16+90 || got > 3+31+90 {
		t.Errorf("sent %d requests", got)
	}
	// Refusals of every read are no outage.
	_, diagnostics = p.read(workspaceAuditType, larkspurAudit(nil))
	requireWarning(t, diagnostics, "Workspace audit is incomplete")
}

// A 401 can concern one agent. Only if it lasts, the token has expired, and the audit ends.
func TestWorkspaceAuditUnauthorized(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		isRefused func(reads int64) bool
		want      string // error, or "" for one problem
	}{
		"one agent":     {func(reads int64) bool { return reads == 30 }, ""},
		"expired token": {func(reads int64) bool { return reads > 30 }, "The audit ended after 46 of 60 reads of individual agents, because too many reads in a row failed."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reads atomic.Int64
			s := startService(t, withSeed(devserver.ManyAgents(60)), withFault(func(r *http.Request) http.Handler {
				if strings.HasPrefix(r.URL.Path, "/v1/agents/") && test.isRefused(reads.Add(1)) {
					return devserver.ErrorHandler(401)
				}
				return nil
			}))
			p := configuredProvider(t, s, object{"max_concurrent_requests": number("1")})
			state, diagnostics := p.read(workspaceAuditType, larkspurAudit(nil))
			if test.want != "" {
				requireError(t, diagnostics, test.want, "401 Unauthorized", "may be invalid or expired")
				return
			}
			requireProblems(t, state, object{"kind": "read_failed", "agent_id": "agt_gen000029", "operation": "read agent", "status": number("401"),
				"code": "UNAUTHORIZED", "message": "Authorization not provided"})
		})
	}
}

// An agent that was never published has no statistics. Its 404 is no problem unless something
// shows that it is published.
func TestWorkspaceAuditOfDrafts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		definitions bool
		missing     []string
	}{
		"definitions":             {definitions: true},
		"no definitions":          {},
		"no definitions or flags": {missing: []string{"agents.isPublished"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServiceWithFaults(t, faults{"/v1/agents/agt_scratch/analytics/stats": devserver.ErrorHandler(404)}, withoutFields(test.missing...))
			state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{
				"stats_periods": list{"today"}, "definitions": test.definitions, "agent_ids": list{"agt_returns", "agt_scratch"},
			}))
			requireProblems(t, state)
			agents := state["agents"].(object)
			want := object{"today": object{"total_views": nil, "total_starts": nil, "total_completed": nil, "completion_percent": nil}}
			if diff := cmp.Diff(want, agents["agt_scratch"].(object)["stats"]); diff != "" {
				t.Errorf("unexpected statistics of the draft (-want +got):\n%s", diff)
			}
		})
	}
}

// Statistics that no agent has are one problem, unless all agents are known to be drafts, or another
// problem says it.
func TestWorkspaceAuditWithoutAnyStatistics(t *testing.T) {
	t.Parallel()
	problem := func(agentID, code any, status, message string) object {
		return object{"kind": "read_failed", "agent_id": agentID, "operation": "read agent statistics (today)", "status": number(status), "code": code, "message": message}
	}
	const draft, other = "agt_scratch", "agt_returns"
	for name, test := range map[string]struct {
		agents  list
		missing []string
		want    []object
	}{
		"unknown": {list{draft}, []string{"agents.isPublished"},
			[]object{problem(nil, nil, "404", "No agent has statistics, and the service does not return whether all of them are unpublished.")}},
		"drafts":  {list{draft}, nil, nil},
		"outages": {list{draft, other}, []string{"agents.isPublished"}, []object{problem(other, "FORBIDDEN", "403", "Insufficient access")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServiceWithFaults(t, faults{
				"/v1/agents/" + draft + "/analytics/stats": devserver.ErrorHandler(404),
				"/v1/agents/" + other + "/analytics/stats": devserver.ErrorHandler(403),
			}, withoutFields(test.missing...))
			state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{
				"stats_periods": list{"today"}, "definitions": false, "agent_ids": test.agents,
			}))
			requireProblems(t, state, test.want...)
			if state["is_complete"] != (test.want == nil) {
				t.Errorf("is_complete is %v", state["is_complete"])
			}
		})
	}
}

// However the responses arrive, and although a third of the requests fail, the result is the same.
func TestWorkspaceAuditIsIndependentOfTheOrder(t *testing.T) {
	t.Parallel()
	var results []object
	for _, concurrency := range []number{"1", "8"} {
		var sent atomic.Int64
		s := startService(t, withSeed(devserver.ManyAgents(50)), withFault(func(*http.Request) http.Handler {
			switch n := sent.Add(1); {
			case n%3 != 0:
				return nil
			case n%300 == 0:
				return devserver.ErrorHandler(429)
			case n%2 == 0:
				return cutOff
			}
			return devserver.ErrorHandler(503)
		}))
		p := configuredProvider(t, s, object{"max_concurrent_requests": concurrency, "max_retries": number("20")})
		result := p.mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"allTime"}}))
		delete(result, "read_at")
		results = append(results, result)
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("the results differ:\n%s", diff)
	}
}

// A canceled audit ends at once, with one error, and sends nothing more.
func TestWorkspaceAuditIsCanceled(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 1000)
	s := startService(t, withSeed(devserver.ManyAgents(100)), withFault(func(r *http.Request) http.Handler {
		if !strings.HasPrefix(r.URL.Path, "/v1/agents/") {
			return nil
		}
		arrived <- struct{}{}
		return http.HandlerFunc(hang)
	}))
	p := configuredProvider(t, s, object{"max_concurrent_requests": number("4")})
	ctx, cancel := context.WithCancel(t.Context())
	p.ctx = ctx
	go func() {
		<-arrived
		cancel()
	}()
	_, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur"})
	requireError(t, diagnostics, "[] Unable to audit workspace\nThe audit ended after 0 of 100 reads of individual agents.\n\n", "the run was canceled")
	if got := len(s.Requests()); got > 3+4 {
		t.Errorf("sent %d requests", got)
	}
}

// Each wait is logged, and the progress after every 100 reads.
func TestWorkspaceAuditProgress(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var lists atomic.Int32
	s := startService(t, withSeed(devserver.ManyAgents(125)), withFault(func(r *http.Request) http.Handler {
		if r.URL.Path == "/v1/agents" && lists.Add(1) == 1 {
			return devserver.ErrorHandler(503)
		}
		return nil
	}))
	p := configuredProvider(t, s, object{"max_retries": number("1")})
	p.ctx = tflogtest.RootLogger(p.ctx, &log)
	p.mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today"}}))
	entries, err := tflogtest.MultilineJSONDecode(&log)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		if entry["@level"] == "info" {
			got = append(got, fmt.Sprint(entry["@message"]))
		}
	}
	if diff := cmp.Diff([]string{"Waiting before a request is retried", "Auditing agents: 100 of 250 reads done", "Auditing agents: 200 of 250 reads done"}, got); diff != "" {
		t.Errorf("unexpected log (-want +got):\n%s", diff)
	}
}
