// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import "slices"

// readCase is what a read must do against the development server. Each case runs
// through the framework alone, through the provider's server, and as an ephemeral
// resource. The tests of faults and retries and the fuzzing use the cases, too.
type readCase struct {
	name   string
	source string
	config object
	// requests are all requests that the read sends, sorted.
	requests []string
	want     object

	// The first case of each data source that sends a single request also has
	// these fields.

	// task completes "Unable to" in an error, and about names the object.
	task, about string
	// missing has responses without documented fields, and the attributes that a
	// warning must name.
	missing map[string]string
	// invalid has responses that do not conform to the API, and what an error must
	// say about each of them.
	invalid map[string]string
}

func readCases() []readCase {
	return []readCase{
		{
			name: "workspace by slug", source: "convo_workspace",
			config:   object{"workspace_id": "larkspur"},
			requests: []string{"GET /v1/workspaces/larkspur"},
			want:     expectedWorkspace(),
			task:     "read workspace", about: `workspace "larkspur"`,
			missing: map[string]string{
				`{"workspace":{"id":"w","plan":null,"icon":null}}`: "created_at, updated_at, last_activity_at, name, plan, is_quarantined, " +
					"is_suspended, is_past_due, chat_usage, extras, addons",
				`{"workspace":{}}`: "id, created_at, updated_at, last_activity_at, name, plan, is_quarantined, is_suspended, is_past_due, " +
					"chat_usage, extras, addons",
			},
			invalid: map[string]string{
				`{}`:                              "  - workspace: required, but missing\n\n",
				`{"workspace":null}`:              "  - workspace: expected an object, got null\n\n",
				`{"workspace":{"isPastDue":"1"}}`: "  - workspace.isPastDue: expected a bool, got a string\n\n",
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
			want:     expectedMembers(),
			task:     "read members", about: `workspace "ws_larkspur01"`,
			invalid: map[string]string{
				`{"member":[]}`:      "  - members: required, but missing\n\n",
				`{"members":[1,{}]}`: "  - members[0]: expected an object, got a number\n\n",
			},
		},
		{
			name: "agents", source: "convo_agents",
			config:   object{"query": object{"folder": "a b", "limit": "10&x=1"}},
			requests: []string{"GET /v1/agents?folder=a+b&limit=10%26x%3D1"},
			want:     expectedAgents(),
			task:     "read agents", about: "the agents",
			invalid: map[string]string{`{"agents":null}`: "  - agents: expected an array, got null\n\n"},
		},
		{
			name: "agent with all fields, and a query", source: "convo_agent",
			config:   object{"agent_id": "agt_returns", "query": object{"workspaceId": "a b"}},
			requests: []string{"GET /v1/agents/agt_returns?workspaceId=a+b"},
			want:     expectedFullAgent(),
			task:     "read agent", about: `agent "agt_returns"`,
			missing: map[string]string{`{"agent":{}}`: "current_user_mode", `{"agent":{},"currentUserMode":null}`: "current_user_mode"},
			invalid: map[string]string{
				`{"currentUserMode":"read"}`: "  - agent: required, but missing\n\n",
				`{"agent":{"canvas":{"annotations":[{},{"zIndex":"1"}]},"graph":{"links":{}}}}`: "  - agent.canvas.annotations[1].zIndex: expected a " +
					"number, got a string\n  - agent.graph.links: expected an array, got an object\n\n",
			},
		},
		{
			name: "agent with few fields, and its definition", source: "convo_agent",
			config:   object{"agent_id": "agt_scratch", "include_definition_json": true},
			requests: []string{"GET /v1/agents/agt_scratch"},
			want:     expectedSparseAgent(),
		},
		{
			name: "statistics without a period", source: "convo_agent_stats",
			config:   object{"agent_id": "agt_returns"},
			requests: []string{"GET /v1/agents/agt_returns/analytics/stats"},
			want:     counters("1535810", "153600", "15368", "10"),
			task:     "read agent statistics", about: `agent "agt_returns"`,
			missing: map[string]string{
				`{"stats":{"totalStarts":1}}`:                                      "total_views, total_completed",
				`{"stats":{"totalViews":1,"totalStarts":null,"totalCompleted":1}}`: "total_starts",
			},
			invalid: map[string]string{`{"stats":{"totalStarts":"1"}}`: "  - stats.totalStarts: expected a number, got a string\n\n"},
		},
		{
			name: "statistics of a week, with a query", source: "convo_agent_stats",
			config:   object{"agent_id": "agt_returns", "period": "last7Days", "query": object{"timeZone": "UTC"}},
			requests: []string{"GET /v1/agents/agt_returns/analytics/stats?timeFilter=last7Days&timeZone=UTC"},
			want:     counters("70", "26", "12", "46"),
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

// oneCasePerRead returns the first case of each data source.
func oneCasePerRead() []readCase {
	return slices.CompactFunc(readCases(), func(a, b readCase) bool { return a.source == b.source })
}

// casesOfOneRequest returns the first case of each data source that sends a
// single request.
func casesOfOneRequest() []readCase {
	return slices.DeleteFunc(oneCasePerRead(), func(c readCase) bool { return len(c.requests) > 1 })
}
