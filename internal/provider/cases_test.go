// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"
	"testing"
)

// readCase is what a read must do against the reference service. The tests of
// state, requests, faults, retries, ephemeral resources and the real CLI, and the
// seeds of the fuzzing, all come from these cases.
type readCase struct {
	name   string
	source string
	config object
	// requests are all that the read sends, sorted.
	requests []string
	// task completes "Unable to", and about names the object in an error.
	task, about string
	want        object
	// incomplete has responses that lack required fields, with the problems that
	// an error must list.
	incomplete map[string][]string
	// token is that of the default workspace's writer unless it is set.
	token string
}

func readCases() []readCase {
	return []readCase{
		{
			name: "workspace by slug", source: "convo_workspace",
			config:   object{"workspace_id": "larkspur"},
			requests: []string{"GET /v1/workspaces/larkspur"},
			task:     "read workspace", about: `workspace "larkspur"`,
			want: expectedWorkspace(),
			incomplete: map[string][]string{
				`{}`:                 {"workspace: required, but missing"},
				`{"workspace":null}`: {"workspace: expected an object, got null"},
				`{"workspace":{"id":"w","plan":null,"icon":null}}`: {
					"workspace.createdAt: required, but missing", "workspace.updatedAt: required, but missing", "workspace.lastActivityAt: required, but missing",
					"workspace.name: required, but missing", "workspace.plan: expected a string, got null", "workspace.isQuarantined: required, but missing",
					"workspace.isSuspended: required, but missing", "workspace.isPastDue: required, but missing", "workspace.chatUsage: required, but missing",
					"workspace.extras: required, but missing", "workspace.addons: required, but missing",
				},
			},
		},
		{
			name: "workspace with nulls, and the default declined", source: "convo_workspace",
			config:   object{"workspace_id": "ws_tidepool02", "get_default": false},
			requests: []string{"GET /v1/workspaces/ws_tidepool02?getDefault=false"},
			want:     expectedSparseWorkspace(),
		},
		{
			name: "members", source: "convo_members",
			config:   object{"workspace_id": "ws_larkspur01"},
			requests: []string{"GET /v1/workspaces/ws_larkspur01/members"},
			task:     "read members", about: `workspace "ws_larkspur01"`,
			want:       expectedMembers(),
			incomplete: map[string][]string{`{"member":[]}`: {"members: required, but missing"}},
		},
		{
			name: "agents", source: "convo_agents",
			config:   object{"query": object{"folder": "a b", "limit": "10&x=1"}},
			requests: []string{"GET /v1/agents?folder=a+b&limit=10%26x%3D1"},
			task:     "read agents", about: "the agents",
			want:       expectedAgents(),
			incomplete: map[string][]string{`{"agents":null}`: {"agents: expected an array, got null"}},
		},
		{
			name: "agent with all fields", source: "convo_agent",
			config:   object{"agent_id": "agt_returns"},
			requests: []string{"GET /v1/agents/agt_returns"},
			task:     "read agent", about: `agent "agt_returns"`,
			want: expectedFullAgent(),
			incomplete: map[string][]string{
				`{}`: {"agent: required, but missing", "currentUserMode: required, but missing"},
				`{"agent":{"canvas":{"annotations":[{},{"zIndex":"1"}]}},"currentUserMode":"read"}`: {
					"agent.canvas.annotations[1].zIndex: expected a number, got a string",
				},
			},
		},
		{
			name: "agent with few fields, and its document", source: "convo_agent",
			config:   object{"agent_id": "agt_scratch", "include_definition_json": true},
			requests: []string{"GET /v1/agents/agt_scratch"},
			want:     expectedSparseAgent(),
		},
		{
			name: "statistics without a period", source: "convo_agent_stats",
			config:   object{"agent_id": "agt_returns"},
			requests: []string{"GET /v1/agents/agt_returns/analytics/stats"},
			task:     "read agent statistics", about: `agent "agt_returns"`,
			want: expectedStats(nil, "1535810", "153600", "15368", "10"),
			incomplete: map[string][]string{
				`{"stats":{"totalStarts":1}}`: {"stats.totalViews: required, but missing", "stats.totalCompleted: required, but missing"},
			},
		},
		{
			name: "statistics of a week", source: "convo_agent_stats",
			config:   object{"agent_id": "agt_returns", "period": "last7Days"},
			requests: []string{"GET /v1/agents/agt_returns/analytics/stats?timeFilter=last7Days"},
			want:     expectedStats("last7Days", "70", "26", "12", "46"),
		},
		{
			name: "audit of one agent", source: workspaceAuditType,
			config: object{"workspace_id": "larkspur", "agent_ids": list{"agt_returns"}, "stats_periods": list{"last7Days", "today"}},
			requests: []string{
				"GET /v1/agents",
				"GET /v1/agents/agt_returns",
				"GET /v1/agents/agt_returns/analytics/stats?timeFilter=last7Days",
				"GET /v1/agents/agt_returns/analytics/stats?timeFilter=today",
				"GET /v1/workspaces/larkspur",
				"GET /v1/workspaces/larkspur/members",
			},
			want: expectedAuditOfOne(),
		},
	}
}

// provider returns the changes that a case makes to the provider block.
func (c readCase) provider() object {
	if c.token == "" {
		return nil
	}
	return object{"token": c.token}
}

// oneCasePerRead returns the first case of each read.
func oneCasePerRead() []readCase {
	seen := map[string]bool{}
	return slices.DeleteFunc(readCases(), func(c readCase) bool {
		defer func() { seen[c.source] = true }()
		return seen[c.source]
	})
}

// A read without a case would be tested by nothing.
func TestEveryReadHasACase(t *testing.T) {
	t.Parallel()
	cases := map[string]readCase{}
	for _, c := range oneCasePerRead() {
		cases[c.source] = c
	}
	for name := range newProtocol(t).schema.DataSourceSchemas {
		c, ok := cases[name]
		switch {
		case !ok:
			t.Errorf("%s has no case: add one to readCases", name)
		case len(c.requests) == 0 || c.want == nil:
			t.Errorf("the first case of %s has no requests or no expected state", name)
		case len(c.requests) == 1 && (c.task == "" || c.about == "" || c.incomplete == nil):
			t.Errorf("the first case of %s has no task, no object or no incomplete response", name)
		}
		delete(cases, name)
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Errorf("there is a case for %s, which does not exist", name)
	}
}
