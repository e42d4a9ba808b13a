// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// A failure that concerns everything ends the audit with one error.
func TestWorkspaceAuditFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path    string
		handler http.Handler
		want    []string
	}{
		"401 for a definition": {"/v1/agents/agt_gen000100", devserver.ErrorHandler(401), []string{
			"[] Unable to audit workspace\nThe audit ended after ", " of 400 reads of individual agents.\n\nThe service returned 401", `agent "agt_gen000100"`,
		}},
		"401 for statistics": {"/v1/agents/agt_gen000100/analytics/stats", devserver.ErrorHandler(401), []string{
			"[] Unable to audit workspace\nThe audit ended after ", " of 400 reads of individual agents.\n\nThe service returned 401", `agent "agt_gen000100"`,
		}},
		"the workspace is not there": {"/v1/workspaces/larkspur", devserver.ErrorHandler(404), []string{"Unable to read workspace", "404"}},
		"the members are forbidden":  {"/v1/workspaces/larkspur/members", devserver.ErrorHandler(403), []string{"Unable to read members", "403"}},
		"the list is no list":        {"/v1/agents", jsonHandler(200, `{"agents":{}}`), []string{"Unable to read agents", "agents: expected an array, got an object"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServiceWithFaults(t, faults{test.path: test.handler}, devserver.WithSeed(devserver.ManyAgents(200)))
			p := configuredProvider(t, s, object{"max_concurrent_requests": number("4"), "max_retries": number("1")})
			_, diagnostics := p.read(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today"}}))
			requireError(t, diagnostics, test.want...)
			// The agent in the middle fails: most of the others are not requested.
			if got := len(s.Requests()); got > 3+350 {
				t.Errorf("sent %d requests", got)
			}
		})
	}
}

// failingAgents starts a service that responds with a fault to all requests for
// individual agents but the first ones.
func failingAgents(t *testing.T, agents int, first int64, fault http.Handler) service {
	t.Helper()
	var reads atomic.Int64
	return startService(t, devserver.WithSeed(devserver.ManyAgents(agents)), devserver.WithFault(func(r *http.Request) http.Handler {
		if strings.HasPrefix(r.URL.Path, "/v1/agents/") && reads.Add(1) > first {
			return fault
		}
		return nil
	}))
}

// An operation that fails for every agent ends the audit, too, although another
// one succeeds.
func TestWorkspaceAuditOfAnOutageOfOneOperation(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithSeed(devserver.ManyAgents(300)), devserver.WithFault(func(r *http.Request) http.Handler {
		if strings.HasSuffix(r.URL.Path, "/analytics/stats") {
			return devserver.ErrorHandler(500)
		}
		return nil
	}))
	_, diagnostics := configuredProvider(t, s).read(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"today"}})
	requireError(t, diagnostics, "Unable to audit workspace", `the last 50 of the operation "read agent statistics (today)" all failed`, "500 Internal Server Error")
}

// Failures that can be temporary end the audit if there are 10 before any other
// response, or 50 in a row later.
func TestWorkspaceAuditOfAnOutage(t *testing.T) {
	t.Parallel()
	var failed atomic.Int64
	several := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers := []http.Handler{devserver.ErrorHandler(502), devserver.ErrorHandler(503), http.HandlerFunc(cutOff)}
		handlers[failed.Add(1)%3].ServeHTTP(w, r)
	})
	for name, test := range map[string]struct {
		fault http.Handler
		first int64 // reads of agents that succeed
		want  string
	}{
		"500 from the start":     {fault: devserver.ErrorHandler(500), want: "after 10 of 1000 reads of individual agents, because the last 10 of them all failed"},
		"dropped from the start": {fault: drop(""), want: "after 10 of 1000 reads of individual agents, because the last 10 of them all failed"},
		"several from the start": {fault: several, want: "after 10 of 1000 reads of individual agents, because the last 10 of them all failed"},
		"several after a while":  {fault: several, first: 100, want: "after 150 of 1000 reads of individual agents, because the last 50 of them all failed"},
		"500 after a while":      {fault: devserver.ErrorHandler(500), first: 100, want: "after 150 of 1000 reads of individual agents, because the last 50 of them all failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := failingAgents(t, 500, test.first, test.fault)
			p := configuredProvider(t, s, object{"max_concurrent_requests": number("1")})
			_, diagnostics := p.read(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today"}}))
			requireError(t, diagnostics, "[] Unable to audit workspace\nThe audit ended "+test.want+". The last error was:\n\nThe ")
			if got := len(s.Requests()); got > 3+150 {
				t.Errorf("sent %d requests", got)
			}
		})
	}
}

// A failure that can be temporary among the first ones is not equal to the
// others, so that all agents are read.
func TestWorkspaceAuditOfUnequalFailures(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithSeed(devserver.ManyAgents(60)), devserver.WithFault(func(r *http.Request) http.Handler {
		switch {
		case !strings.HasPrefix(r.URL.Path, "/v1/agents/"):
			return nil
		case r.URL.Path == "/v1/agents/agt_gen000007":
			return devserver.ErrorHandler(500)
		}
		return devserver.ErrorHandler(404)
	}))
	state := configuredProvider(t, s).mustRead(workspaceAuditType, object{"workspace_id": "larkspur"})
	for _, p := range state["problems"].(list) {
		if p.(object)["kind"] != "read_failed" {
			t.Errorf("got %v", p)
		}
	}
	if got := len(state["problems"].(list)); got != 60 {
		t.Errorf("got %d problems", got)
	}
}

// The definitions of a past-due workspace can all be a 404. That never ends the
// audit, but after 50 equal failures the rest is not requested.
func TestWorkspaceAuditOfAPastDueWorkspace(t *testing.T) {
	t.Parallel()
	for agents, remaining := range map[int]string{50: "", 51: "agent was", 60: "10 agents were"} {
		t.Run(fmt.Sprint(agents, " agents"), func(t *testing.T) {
			t.Parallel()
			s := startService(t, devserver.WithSeed(devserver.ManyAgents(agents)), devserver.WithBehavior(devserver.UnpaidAgents))
			p := configuredProvider(t, s, object{"max_concurrent_requests": number("8")})
			state, diagnostics := p.read(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"allTime"}}))
			var want []object
			if remaining != "" {
				want = append(want, object{"kind": "not_read", "operation": "read agent",
					"message": "The first 50 reads all failed in the same way, so the remaining " + remaining + " not read."})
			}
			for i := range 50 {
				want = append(want, object{"kind": "read_failed", "agent_id": fmt.Sprintf("agt_gen%06d", i), "operation": "read agent",
					"status": number("404"), "code": "NOT_FOUND", "message": "Not found"})
			}
			requireProblems(t, state, want...)
			requireWarning(t, diagnostics, "Workspace audit is incomplete")
			// The rest of the audit is there.
			summary := state["summary"].(object)
			if summary["agents"] != number(fmt.Sprint(agents)) || state["workspace"].(object)["is_past_due"] != true || summary["locked"] != nil {
				t.Errorf("got the summary %v", summary)
			}
			if views := summary["stats"].(object)["allTime"].(object)["total_views"]; views == number("0") {
				t.Error("the statistics were not read")
			}
			if got, want := len(s.Requests()), 3+50+agents; got != want {
				t.Errorf("sent %d requests, want %d", got, want)
			}
		})
	}
}

// Failures of different kinds, or after a success, do not stop an operation.
func TestWorkspaceAuditWithManyBadAgents(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	s := startService(t, devserver.WithSeed(devserver.ManyAgents(120)), devserver.WithFault(func(r *http.Request) http.Handler {
		if !strings.HasPrefix(r.URL.Path, "/v1/agents/") {
			return nil
		}
		return []http.Handler{devserver.ErrorHandler(404), devserver.ErrorHandler(403), devserver.ErrorHandler(500)}[reads.Add(1)%3]
	}))
	for name, test := range map[string]struct {
		service  service
		problems number
	}{
		"different kinds": {service: s, problems: "120"},
		"after a success": {service: failingAgents(t, 120, 1, devserver.ErrorHandler(403)), problems: "119"},
	} {
		p := configuredProvider(t, test.service, object{"max_concurrent_requests": number("1")})
		if got := p.mustRead(workspaceAuditType, larkspurAudit(nil))["summary"].(object)["problems"]; got != test.problems {
			t.Errorf("%s: got %v problems, want %s", name, got, test.problems)
		}
	}
}

// A slow success among the first agents keeps an operation from being stopped,
// like a fast one.
func TestWorkspaceAuditWithASlowSuccess(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithSeed(devserver.ManyAgents(70)), devserver.WithFault(func(r *http.Request) http.Handler {
		switch {
		case r.URL.Path == "/v1/agents/agt_gen000000":
			time.Sleep(500 * time.Millisecond) // In this time, all others respond.
		case strings.HasPrefix(r.URL.Path, "/v1/agents/"):
			return devserver.ErrorHandler(404)
		}
		return nil
	}))
	state := configuredProvider(t, s, object{"max_concurrent_requests": number("8")}).mustRead(workspaceAuditType, larkspurAudit(nil))
	if got := state["summary"].(object)["problems"]; got != number("69") {
		t.Errorf("got %v problems", got)
	}
}

// An agent that was never published has no statistics. Its 404 is a problem only
// if nothing else shows that the agent exists and is not published.
func TestWorkspaceAuditOfDrafts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		definitions bool
		missing     []string
		problems    []object
	}{
		"definitions":               {definitions: true},
		"definitions without flags": {definitions: true, missing: []string{"agents.isPublished", "agent.exposure.state.published"}},
		"no definitions":            {},
		"no definitions or flags": {missing: []string{"agents.isPublished"}, problems: []object{{
			"kind": "read_failed", "agent_id": "agt_scratch", "operation": "read agent statistics (today)",
			"status": number("404"), "code": "NOT_FOUND", "message": "Not found",
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, devserver.WithBehavior(devserver.DraftStats), devserver.WithMissingFields(test.missing...))
			state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{
				"stats_periods": list{"today"}, "definitions": test.definitions, "agent_ids": list{"agt_returns", "agt_scratch"},
			}))
			requireProblems(t, state, test.problems...)
			agents := state["agents"].(object)
			want := object{"today": object{"total_views": nil, "total_starts": nil, "total_completed": nil, "completion_percent": nil}}
			if diff := cmp.Diff(want, agents["agt_scratch"].(object)["stats"]); diff != "" {
				t.Errorf("unexpected statistics of the draft (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(object{"today": counters("7", "3", "1", "33")}, state["summary"].(object)["stats"]); diff != "" {
				t.Errorf("unexpected totals (-want +got):\n%s", diff)
			}
		})
	}
}

// A 404 that is not the service's does not mean that there are no statistics.
func TestWorkspaceAuditWithoutARouteToStatistics(t *testing.T) {
	t.Parallel()
	s := startServiceWithFaults(t, faults{"/v1/agents/agt_returns/analytics/stats": jsonHandler(404, `<html>no route</html>`)})
	state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today"}, "agent_ids": list{"agt_returns"}}))
	requireProblems(t, state, object{"kind": "read_failed", "agent_id": "agt_returns", "operation": "read agent statistics (today)",
		"status": number("404"), "message": "no route"})
}

// Agents that were never published do not keep the statistics of the others from
// being read, although nothing says that they are not published.
func TestWorkspaceAuditOfManyDrafts(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithSeed(devserver.ManyAgents(60)), devserver.WithMissingFields("agents.isPublished"), devserver.WithFault(func(r *http.Request) http.Handler {
		if strings.HasSuffix(r.URL.Path, "/analytics/stats") && !strings.Contains(r.URL.Path, "agt_gen000059") {
			return devserver.ErrorHandler(404)
		}
		return nil
	}))
	state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"allTime"}, "definitions": false}))
	if got := state["summary"].(object)["problems"]; got != number("59") {
		t.Errorf("got %v problems", got)
	}
	last := state["agents"].(object)["agt_gen000059"].(object)["stats"].(object)["allTime"].(object)["total_starts"]
	if last == nil {
		t.Error("the statistics of the last agent were not read")
	}
}

// However the responses arrive, the result is the same, and never more requests
// are in flight than configured.
func TestWorkspaceAuditIsIndependentOfTheOrder(t *testing.T) {
	t.Parallel()
	var results []object
	for _, concurrency := range []int64{1, 8} {
		f := &flaky{}
		s := startServiceBehind(t, f.count, devserver.WithSeed(devserver.ManyAgents(150)), devserver.WithFault(f.fault))
		p := configuredProvider(t, s, object{"max_concurrent_requests": number(strconv.FormatInt(concurrency, 10)), "max_retries": number("20")})
		results = append(results, p.mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"allTime"}}))
		if most := f.most.Load(); most > concurrency {
			t.Errorf("%d requests were in flight at once", most)
		}
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("the results differ:\n%s", diff)
	}
}

// A canceled audit ends at once, with one error, and sends nothing more.
func TestWorkspaceAuditIsCanceled(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 1000)
	s := startService(t, devserver.WithSeed(devserver.ManyAgents(100)), devserver.WithFault(func(r *http.Request) http.Handler {
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

// The time left follows from the pace since the last message.
func TestWorkspaceAuditProgress(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 18, 5, 20, 0, 0, time.UTC)
	last := progress{at: start}
	for i, test := range []struct {
		done int
		want string
	}{
		{1500, "Auditing agents: 1500 of 20000 reads done, 150.0 per second, time left: 2m3s"},
		{1500, "Auditing agents: 1500 of 20000 reads done, 0.0 per second, time left: unknown"},
		{1550, "Auditing agents: 1550 of 20000 reads done, 5.0 per second, time left: 1h1m30s"},
	} {
		next := progress{start.Add(time.Duration(i+1) * 10 * time.Second), test.done}
		if got := next.since(last, 20_000); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
		last = next
	}
}

// firstLine closes a channel at the first line about an audit's progress.
type firstLine struct {
	once   sync.Once
	logged chan struct{}
}

func (f *firstLine) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(`"info"`)) && bytes.Contains(line, []byte("Auditing agents: 0 of 1 reads done")) {
		f.once.Do(func() { close(f.logged) })
	}
	return len(line), nil
}

// The progress is logged while the reads of agents wait, but not within the first
// ten seconds.
func TestWorkspaceAuditLogsWhileItReads(t *testing.T) {
	t.Parallel()
	line := &firstLine{logged: make(chan struct{})}
	s := startServiceWithFaults(t, faults{
		"/v1/agents": jsonHandler(200, `{"agents":[{"id":"a"}]}`),
		"/v1/agents/a": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-line.logged:
			case <-r.Context().Done():
				t.Error("nothing was logged")
			}
			jsonHandler(200, `{"agent":{},"currentUserMode":"read"}`)(w, r)
		}),
	})
	client, err := convo.New(convo.Config{BaseURL: s.BaseURL, Token: devserver.TokenWrite})
	if err != nil {
		t.Fatal(err)
	}
	audit := &workspaceAudit{
		providerData: &providerData{client: client}, workspaceID: "larkspur", definitions: true,
		definitionParts: definitionAttributes(), progressInterval: time.Millisecond,
	}
	if _, diags := audit.read(tflogtest.RootLogger(t.Context(), line)); len(diags) > 0 {
		t.Error(diags)
	}

	var log bytes.Buffer
	p := configuredProvider(t, startService(t))
	p.ctx = tflogtest.RootLogger(p.ctx, &log)
	p.mustRead(workspaceAuditType, larkspurAudit(nil))
	if strings.Contains(log.String(), `"info"`) {
		t.Errorf("a short audit logs:\n%s", &log)
	}
}
