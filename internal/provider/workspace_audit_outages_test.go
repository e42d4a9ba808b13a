// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// failingAgents starts a service that responds with a fault to all requests for
// individual agents but the first ones.
func failingAgents(t *testing.T, agents int, first int64, fault http.Handler) service {
	t.Helper()
	var reads atomic.Int64
	return startService(t, withSeed(devserver.ManyAgents(agents)), withFault(func(r *http.Request) http.Handler {
		if strings.HasPrefix(r.URL.Path, "/v1/agents/") && reads.Add(1) > first {
			return fault
		}
		return nil
	}))
}

// 16 failures in a row of every operation that can be temporary end the audit.
func TestWorkspaceAuditOfAnOutage(t *testing.T) {
	t.Parallel()
	var failed atomic.Int64
	several := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers := []http.Handler{
			devserver.ErrorHandler(429), devserver.ErrorHandler(408), devserver.ErrorHandler(425), devserver.ErrorHandler(503), cutOff,
		}
		handlers[failed.Add(1)%5].ServeHTTP(w, r)
	})
	for name, test := range map[string]struct {
		service service
		reads   string
	}{
		"500 from the start":     {failingAgents(t, 300, 0, devserver.ErrorHandler(500)), "32"},
		"dropped from the start": {failingAgents(t, 300, 0, drop("")), "32"},
		"several after a while":  {failingAgents(t, 300, 100, several), "132"},
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

// Where the definitions of all agents from one on hang, the audit has everything else,
// and one problem tells it, beside that of an earlier agent.
func TestWorkspaceAuditOfAgentsThatHang(t *testing.T) {
	t.Parallel()
	s := startService(t, withSeed(devserver.ManyAgents(100)), withFault(func(r *http.Request) http.Handler {
		switch {
		case r.URL.Path == "/v1/agents/agt_gen000020":
			return devserver.ErrorHandler(404)
		case strings.HasPrefix(r.URL.Path, "/v1/agents/") && r.URL.Path >= "/v1/agents/agt_gen000030" && !strings.HasSuffix(r.URL.Path, "/stats"):
			return http.HandlerFunc(hang)
		}
		return nil
	}))
	settings := object{"request_timeout": "10s", "max_retries": number("0")} // All other requests must take less, also on a busy machine.
	state := configuredProvider(t, s, settings).mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"allTime"}}))
	requireProblems(t, state,
		object{"kind": "read_failed", "operation": "read agent",
			"message": "no complete response within 10s. 16 reads in a row failed, so the others were not attempted."},
		object{"kind": "read_failed", "agent_id": "agt_gen000020", "operation": "read agent", "status": number("404"), "code": "NOT_FOUND", "message": "Not found"})
	sent := len(slices.DeleteFunc(s.Sent(), func(sent string) bool { return strings.Contains(sent, "/stats?") }))
	if sent < 3+30+16 || sent > 3+30+16+16 {
		t.Errorf("sent %d requests besides those for statistics", sent)
	}
	if views := state["agents"].(object)["agt_gen000099"].(object)["stats"].(object)["allTime"].(object)["total_views"]; views == nil {
		t.Error("the statistics of the last agent were not read")
	}
}

// Once an agent could be read, a failure that concerns a single agent does not keep the others
// from being read, however many there are.
func TestWorkspaceAuditOfManyBadAgents(t *testing.T) {
	t.Parallel()
	s := startService(t, withSeed(devserver.ManyAgents(70)), withFault(func(r *http.Request) http.Handler {
		if strings.HasPrefix(r.URL.Path, "/v1/agents/") && r.URL.Path != "/v1/agents/agt_gen000015" {
			return devserver.ErrorHandler(404)
		}
		return nil
	}))
	p := configuredProvider(t, s, object{"max_concurrent_requests": number("1")})
	if got := len(p.mustRead(workspaceAuditType, larkspurAudit(nil))["problems"].(list)); got != 69 {
		t.Errorf("got %d problems", got)
	}
}

// An agent whose statistics always fail is requested for one period, so that it costs the retries only once. A refusal
// can concern a single period.
func TestWorkspaceAuditOfAnAgentWithoutStatistics(t *testing.T) {
	t.Parallel()
	const path = "GET /v1/agents/agt_returns/analytics/stats"
	for status, requests := range map[int]int{500: 1, 400: 3} {
		s := startServiceWithFaults(t, faults{strings.TrimPrefix(path, "GET "): devserver.ErrorHandler(status)})
		state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today", "last7Days", "allTime"}}))
		var operations []any
		for _, problem := range state["problems"].(list) {
			operations = append(operations, problem.(object)["operation"])
		}
		if want := []any{"read agent statistics (allTime)", "read agent statistics (last7Days)", "read agent statistics (today)"}; !cmp.Equal(operations, want) {
			t.Errorf("%d: got problems of %v", status, operations)
		}
		if sent := slices.DeleteFunc(s.Sent(), func(sent string) bool { return !strings.HasPrefix(sent, path) }); len(sent) != requests {
			t.Errorf("%d: sent %d requests", status, len(sent))
		}
	}
}
