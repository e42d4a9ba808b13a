// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"fmt"
	"maps"
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

const workspaceAuditType = "convo_workspace_audit"

// expectedFullAudit is what an audit has of the agent agt_returns.
func expectedFullAudit() object {
	audited := expectedFullSummary()
	maps.Copy(audited, object{
		"current_user_mode": "write",
		"revision":          "42",
		"labels":            list{"service", "returns", "größe"},
		"is_archived":       false,
		"is_locked":         false,
		"domain":            "chat.larkspur-bicycles.example",
		"risk_score":        number("12.75"),
		"workspace_ref":     "ws_larkspur01",
		"node_count":        number("5"),
		"link_count":        number("3"),
		"memory_count":      number("3"),
		"entrypoint_count":  number("2"),
		"graph_findings":    list{},
		"stats": object{
			"today":     counters("7", "3", "1", "33"),
			"last7Days": counters("70", "26", "12", "46"),
		},
	})
	return audited
}

// expectedSparseAudit is what an audit has of the agent agt_scratch.
func expectedSparseAudit() object {
	audited := expectedSparseSummary()
	maps.Copy(audited, object{
		"current_user_mode": "write",
		"revision":          "1",
		"labels":            list{},
		"is_archived":       nil,
		"is_locked":         nil,
		"domain":            nil,
		"risk_score":        number("0"),
		"workspace_ref":     nil,
		"node_count":        number("0"),
		"link_count":        number("0"),
		"memory_count":      nil,
		"entrypoint_count":  number("1"),
		"graph_findings":    list{},
		"stats":             object{"today": counters("0", "0", "0", ""), "last7Days": counters("0", "0", "0", "")},
	})
	return audited
}

// expectedAuditOfOne is an audit of the agent agt_returns alone.
func expectedAuditOfOne() object {
	workspace := expectedWorkspace()
	delete(workspace, "workspace_id")
	delete(workspace, "get_default")
	return object{
		"workspace_id":           "larkspur",
		"agent_ids":              list{"agt_returns"},
		"stats_periods":          list{"last7Days", "today"},
		"agent_query":            nil,
		"definitions":            nil,
		"include_graph_findings": nil,
		"workspace":              workspace,
		"members":                expectedMembers()["members"],
		"emails_by_role":         expectedMembers()["emails_by_role"],
		"agents":                 object{"agt_returns": expectedFullAudit()},
		"problems":               list{},
		"summary": object{
			"agents": number("1"), "published": number("1"), "archived": number("0"), "locked": number("0"),
			"foreign_agents": number("0"), "graph_findings": nil, "problems": number("0"), "members": number("8"),
			"members_by_role": object{"ADMIN": number("2"), "BILLING": number("1"), "GUEST": number("2"), "MEMBER": number("3")},
			"stats": object{
				"today":     counters("7", "3", "1", "33"),
				"last7Days": counters("70", "26", "12", "46"),
			},
		},
	}
}

// counters are those of a period, with a null percentage for "".
func counters(views, starts, completed, percent string) object {
	c := object{
		"total_views": number(views), "total_starts": number(starts), "total_completed": number(completed), "completion_percent": nil,
	}
	if percent != "" {
		c["completion_percent"] = number(percent)
	}
	return c
}

// unreadStats are the counters of a period that could not be read.
func unreadStats() object {
	return object{"total_views": nil, "total_starts": nil, "total_completed": nil, "completion_percent": nil}
}

func keys(m any) []string { return slices.Sorted(maps.Keys(m.(object))) }

func TestWorkspaceAudit(t *testing.T) {
	t.Parallel()
	s := startService(t)
	state := configured(t, s).mustRead(workspaceAuditType, object{
		"workspace_id": "larkspur", "stats_periods": list{"today", "last7Days"}, "agent_query": object{"folder": "a"},
	})
	summary := object{
		"agents": number("12"), "published": number("6"), "archived": number("2"), "locked": number("3"),
		"foreign_agents": number("0"), "graph_findings": nil, "problems": number("0"), "members": number("8"),
		"members_by_role": object{"ADMIN": number("2"), "BILLING": number("1"), "GUEST": number("2"), "MEMBER": number("3")},
		"stats": object{
			"today":     counters("161", "146", "112", "76"),
			"last7Days": counters("2561", "2444", "2218", "90"),
		},
	}
	if diff := cmp.Diff(summary, state["summary"]); diff != "" {
		t.Errorf("unexpected summary (-want +got):\n%s", diff)
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
	if !slices.Contains(s.sent(), "GET /v1/agents?folder=a") {
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

// Totals are exact, also where a float64 would not be.
func TestWorkspaceAuditAddsUpExactly(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithFault(func(r *http.Request) http.Handler {
		switch r.URL.Path {
		case "/v1/agents":
			return jsonHandler(200, `{"agents":[{"id":"a"},{"id":"b"}]}`)
		case "/v1/agents/a/analytics/stats":
			return jsonHandler(200, `{"stats":{"totalViews":9007199254740993,"totalStarts":0,"totalCompleted":0}}`)
		case "/v1/agents/b/analytics/stats":
			return jsonHandler(200, `{"stats":{"totalViews":2,"totalStarts":0,"totalCompleted":0}}`)
		}
		return nil
	}))
	state := configured(t, s).mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "definitions": false, "stats_periods": list{"today"}})
	want := object{"today": counters("9007199254740995", "0", "0", "")}
	if diff := cmp.Diff(want, state["summary"].(object)["stats"]); diff != "" {
		t.Errorf("unexpected totals (-want +got):\n%s", diff)
	}
}

// A percentage is exact, so that a comparison with a whole one is. It is rounded
// down, so that no agent reaches a threshold by rounding.
func TestCompletionPercent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ starts, completed, want string }{
		"exact":               {"10", "7", "70"},
		"just below":          {"10000", "6999", "69"},
		"a third":             {"3", "1", "33"},
		"all but one":         {"1000", "999", "99"},
		"all":                 {"3", "3", "100"},
		"none":                {"3", "0", "0"},
		"more than started":   {"2", "3", "150"},
		"below zero":          {"3", "-1", "-34"},
		"decimals":            {"0.1", "0.01", "10"},
		"more than 64 bits":   {"36893488147419103232", "36893488147419103231", "99"},
		"more than 512 bits":  {"1" + strings.Repeat("0", 250), "7" + strings.Repeat("0", 249), "70"},
		"huge":                {"1", "1000000000000000000000000000000", "100000000000000000000000000000000"},
		"no starts":           {"0", "0", ""},
		"less than no starts": {"-1", "1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, devserver.WithFault(func(*http.Request) http.Handler {
				return jsonHandler(200, `{"stats":{"totalViews":0,"totalStarts":`+test.starts+`,"totalCompleted":`+test.completed+`}}`)
			}))
			state := configured(t, s).mustRead("convo_agent_stats", object{"agent_id": "agt_returns"})
			want := counters("0", test.starts, test.completed, test.want)
			want["agent_id"], want["period"] = "agt_returns", nil
			if diff := cmp.Diff(want, state); diff != "" {
				t.Errorf("unexpected state (-want +got):\n%s", diff)
			}
		})
	}
}

// Without definitions and periods only three requests are sent.
func TestWorkspaceAuditWithoutDefinitions(t *testing.T) {
	t.Parallel()
	s := startService(t)
	state := configured(t, s).mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "definitions": false})

	got := s.paths()
	slices.Sort(got)
	want := []string{"GET /v1/agents", "GET /v1/workspaces/larkspur", "GET /v1/workspaces/larkspur/members"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
	agent := expectedFullSummary()
	for _, name := range []string{
		"current_user_mode", "revision", "is_archived", "is_locked", "domain", "risk_score", "workspace_ref",
		"node_count", "link_count", "memory_count", "entrypoint_count",
	} {
		agent[name] = nil
	}
	agent["labels"], agent["graph_findings"], agent["stats"] = list{}, list{}, object{}
	if diff := cmp.Diff(agent, state["agents"].(object)["agt_returns"]); diff != "" {
		t.Errorf("unexpected agent (-want +got):\n%s", diff)
	}
	summary := state["summary"].(object)
	if summary["published"] != number("6") || summary["archived"] != nil || summary["locked"] != nil || summary["foreign_agents"] != nil {
		t.Errorf("got the summary %v", summary)
	}
}

func TestWorkspaceAuditOfSomeAgents(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configured(t, s)
	state := p.mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "agent_ids": list{"agt_trade", "agt_jobs"}})
	if diff := cmp.Diff([]string{"agt_jobs", "agt_trade"}, keys(state["agents"])); diff != "" {
		t.Errorf("unexpected agents (-want +got):\n%s", diff)
	}
	if got := len(s.Requests()); got != 5 {
		t.Errorf("sent %v", s.paths())
	}

	none := p.mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "agent_ids": list{}})
	if got := keys(none["agents"]); len(got) > 0 {
		t.Errorf("an empty set means %v", got)
	}

	_, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur", "agent_ids": list{"agt_jobs", "agt_z", "agt_a"}})
	d := requireError(t, diagnostics, "Unable to audit workspace", `did not list these agents: "agt_a", "agt_z"`)
	if d.Attribute.String() != `AttributeName("agent_ids")` {
		t.Errorf("the error is at %s", d.Attribute)
	}
}

// An error names 20 missing agents, and counts the others.
func TestWorkspaceAuditManyMissingAgents(t *testing.T) {
	t.Parallel()
	p := configured(t, startService(t))
	for count, want := range map[int]string{
		20: `, "m18", "m19". Check that the IDs`,
		21: `, "m18", "m19" and 1 more. Check that the IDs`,
		99: `, "m18", "m19" and 79 more. Check that the IDs`,
	} {
		var missing list
		for i := range count {
			missing = append(missing, fmt.Sprintf("m%02d", i))
		}
		_, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur", "agent_ids": missing})
		requireError(t, diagnostics, `did not list these agents: "m00", "m01", `, want)
	}
}

// However the responses arrive, the result is the same, and never more requests
// are in flight than configured.
func TestWorkspaceAuditIsIndependentOfTheOrder(t *testing.T) {
	t.Parallel()
	var results []object
	for _, concurrency := range []int64{1, 8} {
		f := &flaky{}
		s := startServiceWithin(t, f.count, devserver.WithSeed(devserver.ManyAgents(150)), devserver.WithFault(f.fault))
		p := configured(t, s, object{"max_concurrent_requests": number(strconv.FormatInt(concurrency, 10)), "max_retries": number("20")})
		results = append(results, p.mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"allTime"}}))
		if most := f.most.Load(); most > concurrency {
			t.Errorf("%d requests were in flight at once", most)
		}
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("the results differ:\n%s", diff)
	}
}

// A canceled audit ends at once, with one error, and asks for nothing more.
func TestWorkspaceAuditIsCanceled(t *testing.T) {
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
	_, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur"})
	requireError(t, diagnostics, "Unable to read agent", "the run was canceled")
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
	p.mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"today"}})
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
			requireError(t, p.validateData(workspaceAuditType, test.config), test.want...)
		})
	}
}
