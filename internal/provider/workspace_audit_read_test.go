// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
)

// A failure that concerns everything ends the audit with one error.
func TestWorkspaceAuditFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path    string
		handler http.Handler
		want    []string
	}{
		"401 for everything":         {"", devserver.ErrorHandler(401), []string{"Unable to read ", "401"}},
		"the workspace is not there": {"/v1/workspaces/larkspur", devserver.ErrorHandler(404), []string{"Unable to read workspace", "404"}},
		"the members are forbidden":  {"/v1/workspaces/larkspur/members", devserver.ErrorHandler(403), []string{"Unable to read members", "403"}},
		"the list is no list":        {"/v1/agents", jsonHandler(200, `{"agents":{}}`), []string{"Unable to read agents", "agents: expected an array, got an object"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServiceWithFaults(t, faults{test.path: test.handler}, withSeed(devservertest.ManyAgents(200)))
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
	return startService(t, withSeed(devservertest.ManyAgents(agents)), withFault(func(r *http.Request) http.Handler {
		if strings.HasPrefix(r.URL.Path, "/v1/agents/") && reads.Add(1) > first {
			return fault
		}
		return nil
	}))
}

// 20 failures in a row of every operation that can be temporary end the audit.
func TestWorkspaceAuditOfAnOutage(t *testing.T) {
	t.Parallel()
	var failed atomic.Int64
	several := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers := []http.Handler{
			devserver.ErrorHandler(429), devserver.ErrorHandler(408), devserver.ErrorHandler(425), devserver.ErrorHandler(503), http.HandlerFunc(cutOff),
		}
		handlers[failed.Add(1)%5].ServeHTTP(w, r)
	})
	for name, test := range map[string]struct {
		service service
		reads   string
	}{
		"500 from the start":     {failingAgents(t, 300, 0, devserver.ErrorHandler(500)), "40"},
		"dropped from the start": {failingAgents(t, 300, 0, drop("")), "40"},
		"several after a while":  {failingAgents(t, 300, 100, several), "140"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := configuredProvider(t, test.service, object{"max_concurrent_requests": number("1")})
			_, diagnostics := p.read(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today"}}))
			requireError(t, diagnostics, "[] Unable to audit workspace\nThe audit ended after "+test.reads+" of 600 reads of individual agents, "+
				"because too many reads in a row failed. The last error was:\n\nThe ")
		})
	}
}

// Where statistics are refused for all agents, an outage of the rest ends the audit.
func TestWorkspaceAuditOfAnOutageWithoutStatistics(t *testing.T) {
	t.Parallel()
	var definitions atomic.Int64
	s := startService(t, withSeed(devservertest.ManyAgents(200)), withFault(func(r *http.Request) http.Handler {
		switch {
		case strings.HasSuffix(r.URL.Path, "/analytics/stats"):
			return devserver.ErrorHandler(403)
		case strings.HasPrefix(r.URL.Path, "/v1/agents/") && definitions.Add(1) > 100:
			return devserver.ErrorHandler(500)
		}
		return nil
	}))
	p := configuredProvider(t, s, object{"max_concurrent_requests": number("1")})
	_, diagnostics := p.read(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today"}}))
	requireError(t, diagnostics, "[] Unable to audit workspace\nThe audit ended after ", "because too many reads in a row failed.", "500 Internal Server Error")
}

// A service that also refuses reads for good is there.
func TestWorkspaceAuditOfMixedFailures(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	s := startService(t, withSeed(devservertest.ManyAgents(100)), withFault(func(r *http.Request) http.Handler {
		switch {
		case !strings.HasPrefix(r.URL.Path, "/v1/agents/"):
			return nil
		case reads.Add(1)%10 == 0:
			return devserver.ErrorHandler(403)
		}
		return devserver.ErrorHandler(500)
	}))
	p := configuredProvider(t, s, object{"max_concurrent_requests": number("1")})
	if problems := p.mustRead(workspaceAuditType, larkspurAudit(nil))["problems"].(list); len(problems) != 100 {
		t.Errorf("got %d problems", len(problems))
	}
}

// A redirect comes from a service, or from a gateway, that is there, and so do statuses
// that do not pass.
func TestWorkspaceAuditOfPermanentFailures(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]http.Handler{
		"redirect": redirect("https://elsewhere.example/login"), "501": devserver.ErrorHandler(501), "505": devserver.ErrorHandler(505),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := failingAgents(t, 60, 0, fault)
			problems := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(nil))["problems"].(list)
			if len(problems) != 1 || !strings.Contains(problems[0].(object)["message"].(string), "The first 50 reads all failed for this reason") {
				t.Errorf("got the problems %v", problems)
			}
		})
	}
}

// Statistics that fail for all agents are one problem of an audit that has
// everything else.
func TestWorkspaceAuditOfFailingStatistics(t *testing.T) {
	t.Parallel()
	var failed atomic.Int64
	for name, test := range map[string]struct {
		handler  http.Handler
		statuses list
	}{
		"403": {devserver.ErrorHandler(403), list{number("403")}},
		"503": {devserver.ErrorHandler(503), list{number("503")}},
		"500 and 503": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			devserver.ErrorHandler([]int{500, 503, 503}[failed.Add(1)%3]).ServeHTTP(w, r)
		}), list{number("500"), number("503")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, withSeed(devservertest.ManyAgents(100)), withFault(func(r *http.Request) http.Handler {
				if strings.HasSuffix(r.URL.Path, "/analytics/stats") {
					return test.handler
				}
				return nil
			}))
			state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today", "allTime"}}))
			problems := state["problems"].(list)
			if len(problems) != 2 {
				t.Fatalf("got the problems %v", problems)
			}
			for i, period := range []string{"allTime", "today"} {
				problem := problems[i].(object)
				message := problem["message"].(string)
				if problem["operation"] != "read agent statistics ("+period+")" || problem["agent_id"] != nil || !slices.Contains(test.statuses, problem["status"]) ||
					!strings.HasSuffix(message, ". The first 50 reads all failed for this reason, so the provider did not attempt the others.") {
					t.Errorf("got the problem %v", problem)
				}
			}
			if state["summary"].(object)["agents"] != number("100") {
				t.Errorf("got the summary %v", state["summary"])
			}
		})
	}
}

// Where the definitions of all agents from one on hang, the audit has everything else,
// and one problem tells it.
func TestWorkspaceAuditOfAgentsThatHang(t *testing.T) {
	t.Parallel()
	for name, hanging := range map[string]http.Handler{"timeout": http.HandlerFunc(hang), "connection": http.HandlerFunc(cutOff)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, withSeed(devservertest.ManyAgents(400)), withFault(func(r *http.Request) http.Handler {
				if strings.HasPrefix(r.URL.Path, "/v1/agents/") && r.URL.Path >= "/v1/agents/agt_gen000030" && !strings.HasSuffix(r.URL.Path, "/stats") {
					return hanging
				}
				return nil
			}))
			settings := object{"request_timeout": "1s", "max_retries": number("0")}
			if name == "connection" { // Otherwise, a healthy read can end between those that fail at once.
				settings["max_concurrent_requests"] = number("1")
			}
			state := configuredProvider(t, s, settings).mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"allTime"}}))
			message := map[string]string{
				"timeout":    "no complete response within 1s",
				"connection": "the response ended prematurely, after 1 bytes",
			}[name]
			requireProblems(t, state, object{"kind": "read_failed", "operation": "read agent",
				"message": message + ". 20 reads in a row failed for this reason, so the provider did not attempt the others."})
			sent := len(slices.DeleteFunc(s.paths(), func(path string) bool { return strings.HasSuffix(path, "/stats") }))
			if sent < 3+30+20 || sent > 3+30+20+16 {
				t.Errorf("sent %d requests besides those for statistics", sent)
			}
			if views := state["agents"].(object)["agt_gen000399"].(object)["stats"].(object)["allTime"].(object)["total_views"]; views == nil {
				t.Error("the statistics of the last agent were not read")
			}
		})
	}
}

// Agents that hang between others are problems of their own. The first 20 are retried.
func TestWorkspaceAuditOfAgentsThatHangBetweenOthers(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	s := startService(t, withSeed(devservertest.ManyAgents(80)), withFault(func(r *http.Request) http.Handler {
		if strings.HasPrefix(r.URL.Path, "/v1/agents/") && strings.ContainsAny(r.URL.Path[len(r.URL.Path)-1:], "02468") {
			sent.Add(1)
			return http.HandlerFunc(cutOff)
		}
		return nil
	}))
	p := configuredProvider(t, s, object{"max_concurrent_requests": number("1"), "max_retries": number("3")})
	if problems := p.mustRead(workspaceAuditType, larkspurAudit(nil))["problems"].(list); len(problems) != 40 {
		t.Errorf("got %d problems", len(problems))
	}
	if got := sent.Load(); got != 20*4+20 {
		t.Errorf("sent %d requests for agents that hang", got)
	}
}

// An agent that hung before others succeeded stays a problem of its own.
func TestWorkspaceAuditOfAnEarlierTimeout(t *testing.T) {
	t.Parallel()
	s := startService(t, withSeed(devservertest.ManyAgents(60)), withFault(func(r *http.Request) http.Handler {
		isHanging := r.URL.Path == "/v1/agents/agt_gen000001" || r.URL.Path >= "/v1/agents/agt_gen000020"
		if isHanging && strings.HasPrefix(r.URL.Path, "/v1/agents/") && !strings.HasSuffix(r.URL.Path, "/stats") {
			return http.HandlerFunc(cutOff)
		}
		return nil
	}))
	p := configuredProvider(t, s, object{"max_concurrent_requests": number("1")})
	state := p.mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"allTime"}}))
	const message = "the response ended prematurely, after 1 bytes"
	requireProblems(t, state,
		object{"kind": "read_failed", "operation": "read agent", "message": message + ". 20 reads in a row failed for this reason, so the provider did not attempt the others."},
		object{"kind": "read_failed", "operation": "read agent", "agent_id": "agt_gen000001", "message": message})
}

// A permanent failure of one of the first reads cancels the others.
func TestWorkspaceAuditFailsAtOnce(t *testing.T) {
	t.Parallel()
	arrived, canceled := make(chan struct{}), make(chan struct{})
	s := startServiceWithFaults(t, faults{
		"/v1/workspaces/larkspur": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-arrived
			devserver.ErrorHandler(404).ServeHTTP(w, r)
		}),
		"/v1/agents": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done()
			close(canceled)
		}),
	})
	_, diagnostics := configuredProvider(t, s).read(workspaceAuditType, larkspurAudit(nil))
	requireError(t, diagnostics, "Unable to read workspace", "404")
	<-canceled
}

// If nothing can be read, the error is about the workspace, even if it is still retried.
func TestWorkspaceAuditOfAWorkspaceThatIsRetried(t *testing.T) {
	t.Parallel()
	s := startServiceWithFaults(t, faults{
		"/v1/workspaces/larkspur":         drop(""),
		"/v1/workspaces/larkspur/members": devserver.ErrorHandler(403),
	})
	p := testProviderOf(t, newServer(&convoProvider{version: "test", retryWait: time.Hour})).configuredFor(s, object{"max_retries": number("20")})
	_, diagnostics := p.read(workspaceAuditType, larkspurAudit(nil))
	requireError(t, diagnostics, "Unable to read workspace", "the connection was closed")
}

// Failures between successes do not end the audit, however many they are.
func TestWorkspaceAuditOfAnUnreliableService(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	s := startService(t, withSeed(devservertest.ManyAgents(120)), withFault(func(r *http.Request) http.Handler {
		if strings.HasPrefix(r.URL.Path, "/v1/agents/") && reads.Add(1)%10 != 0 {
			return devserver.ErrorHandler(500)
		}
		return nil
	}))
	state := configuredProvider(t, s, object{"max_concurrent_requests": number("1")}).mustRead(workspaceAuditType, larkspurAudit(nil))
	if got := state["summary"].(object)["problems"]; got != number("108") {
		t.Errorf("got %v problems", got)
	}
}

// An operation is not stopped if one of the first 50 reads succeeds, or fails for
// another reason.
func TestWorkspaceAuditOfManyBadAgents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		other    http.Handler // responds to one of the first agents; nil for its definition
		problems string
	}{
		"a success":         {nil, "69"},
		"another status":    {devserver.ErrorHandler(403), "70"},
		"a temporary error": {devserver.ErrorHandler(500), "70"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, withSeed(devservertest.ManyAgents(70)), withFault(func(r *http.Request) http.Handler {
				switch {
				case r.URL.Path == "/v1/agents/agt_gen000020":
					return test.other
				case strings.HasPrefix(r.URL.Path, "/v1/agents/"):
					return devserver.ErrorHandler(404)
				}
				return nil
			}))
			p := configuredProvider(t, s, object{"max_concurrent_requests": number("1")})
			state := p.mustRead(workspaceAuditType, larkspurAudit(nil))
			if got := state["summary"].(object)["problems"]; got != number(test.problems) {
				t.Errorf("got %v problems", got)
			}
		})
	}
}

// The definitions of a past-due workspace can all be a 404. That never ends the
// audit, but after 50 equal failures the rest is not requested.
func TestWorkspaceAuditOfAPastDueWorkspace(t *testing.T) {
	t.Parallel()
	s := startService(t, withSeed(devservertest.ManyAgents(90)), withFault(unpaidAgents))
	p := configuredProvider(t, s, object{"max_concurrent_requests": number("8")})
	state, diagnostics := p.read(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"allTime"}, "include_graph_findings": true}))
	requireProblems(t, state, object{
		"kind": "read_failed", "operation": "read agent", "status": number("404"), "code": "NOT_FOUND",
		"message": "Not found. The workspace is past due, and some services then withhold the definitions of its agents. " +
			"The first 50 reads all failed for this reason, so the provider did not attempt the others.",
	})
	requireWarning(t, diagnostics, "Workspace audit is incomplete")
	// The rest of the audit is there. What is not known is null.
	want := object{
		"agents": number("90"), "published": number("45"), "archived": nil, "locked": nil, "foreign_agents": nil, "graph_findings": nil,
		"problems": number("1"), "members": number("8"),
	}
	summary := state["summary"].(object)
	stats := summary["stats"]
	delete(summary, "stats")
	if diff := cmp.Diff(want, summary); diff != "" {
		t.Errorf("unexpected summary (-want +got):\n%s", diff)
	}
	if views := stats.(object)["allTime"].(object)["total_views"]; views == nil || views == number("0") {
		t.Error("the statistics were not read")
	}
	if got := len(s.Requests()); got < 3+50+90 || got > 3+57+90 {
		t.Errorf("sent %d requests", got)
	}
}

// A 401 can concern one agent. Only if it lasts, the token has expired, and the audit ends.
func TestWorkspaceAuditUnauthorized(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		isRefused func(reads int64) bool
		want      string // error, or "" for one problem
	}{
		"one agent":     {func(reads int64) bool { return reads == 30 }, ""},
		"expired token": {func(reads int64) bool { return reads > 30 }, "The audit ended after 50 of 60 reads of individual agents, because too many reads in a row failed."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reads atomic.Int64
			s := startService(t, withSeed(devservertest.ManyAgents(60)), withFault(func(r *http.Request) http.Handler {
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
			s := startService(t, withFault(draftStats), withoutFields(test.missing...))
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

// A published agent has statistics, so that a 404 is a problem.
func TestWorkspaceAuditOfStatisticsThatAreNotFound(t *testing.T) {
	t.Parallel()
	s := startServiceWithFaults(t, faults{"/v1/agents/agt_returns/analytics/stats": devserver.ErrorHandler(404)})
	for _, definitions := range []bool{true, false} {
		state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{
			"stats_periods": list{"today"}, "agent_ids": list{"agt_returns"}, "definitions": definitions,
		}))
		requireProblems(t, state, object{"kind": "read_failed", "agent_id": "agt_returns", "operation": "read agent statistics (today)",
			"status": number("404"), "code": "NOT_FOUND", "message": "Not found"})
	}
}

// If no published agent's statistics are found, drafts do not keep the audit from
// stopping, and the problem is the same in each run.
func TestWorkspaceAuditStopsWithoutStatistics(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		issue   func(path string) string
		message string
	}{
		"equal issues":     {func(string) string { return "no access" }, "Not found: no access"},
		"different issues": {func(path string) string { return path }, "Not found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, withSeed(devservertest.ManyAgents(300)), withFault(func(r *http.Request) http.Handler {
				if strings.HasSuffix(r.URL.Path, "/analytics/stats") {
					return devserver.ErrorHandler(404, test.issue(r.URL.Path))
				}
				return nil
			}))
			state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today"}}))
			requireProblems(t, state, object{"kind": "read_failed", "operation": "read agent statistics (today)", "status": number("404"), "code": "NOT_FOUND",
				"message": test.message + ". The first 50 reads all failed for this reason, so the provider did not attempt the others."})
		})
	}
}

// A 404 that is not the service's does not mean that there are no statistics.
func TestWorkspaceAuditWithoutARouteToStatistics(t *testing.T) {
	t.Parallel()
	s := startServiceWithFaults(t, faults{"/v1/agents/agt_scratch/analytics/stats": jsonHandler(404, `<html>no route</html>`)})
	state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today"}, "agent_ids": list{"agt_scratch"}}))
	requireProblems(t, state, object{"kind": "read_failed", "agent_id": "agt_scratch", "operation": "read agent statistics (today)",
		"status": number("404"), "message": "no route"})
}

// Agents that were never published do not keep the statistics of the others from
// being read, although nothing says that they are not published.
func TestWorkspaceAuditOfManyDrafts(t *testing.T) {
	t.Parallel()
	s := startService(t, withSeed(devservertest.ManyAgents(60)), withoutFields("agents.isPublished"), withFault(func(r *http.Request) http.Handler {
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
		s := startService(t, withSeed(devservertest.ManyAgents(150)), withFault(f.fault), f.count)
		p := configuredProvider(t, s, object{"max_concurrent_requests": number(strconv.FormatInt(concurrency, 10)), "max_retries": number("20")})
		result := p.mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"allTime"}})
		delete(result, "read_at")
		results = append(results, result)
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
	s := startService(t, withSeed(devservertest.ManyAgents(100)), withFault(func(r *http.Request) http.Handler {
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

// The progress is logged at most once every ten seconds.
func TestWorkspaceAuditProgress(t *testing.T) {
	t.Parallel()
	var short bytes.Buffer
	p := configuredProvider(t, startService(t))
	p.ctx = tflogtest.RootLogger(p.ctx, &short)
	p.mustRead(workspaceAuditType, larkspurAudit(nil))
	if strings.Contains(short.String(), `"info"`) {
		t.Errorf("a short audit logs:\n%s", &short)
	}

	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ctx := tflogtest.RootLogger(t.Context(), &log)
		operation := &agentOperation{name: "read agent"}
		audit := &workspaceAudit{
			model: &auditModel{Workspace: &workspace{}}, operations: []*agentOperation{operation},
			wantReads: 6, startedAt: time.Now(), loggedAt: time.Now(),
		}
		timeout := &convo.TransportError{Reason: convo.ReasonTimeout, Err: errors.New("no complete response within 5s")}
		for i, seconds := range []int{0, 4, 6, 5, 15} {
			time.Sleep(time.Duration(seconds) * time.Second)
			var err error
			if i == 3 {
				err = timeout
			}
			audit.finish(ctx, &auditedAgent{agentSummary: agentSummary{ID: new("agt_1")}}, operation, caveats{}, err)
		}
		entries, err := tflogtest.MultilineJSONDecode(&log)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, entry := range entries {
			got = append(got, fmt.Sprint(entry["@level"], ": ", entry["@message"]))
		}
		want := []string{
			"info: Auditing agents: 3 of 6 reads done in 10s, time left: 10s",
			"info: Auditing agents: 5 of 6 reads done in 30s, 1 without a complete response, time left: 6s",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("unexpected log (-want +got):\n%s", diff)
		}
	})
}
