// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// larkspurAudit is the configuration of an audit, with changes.
func larkspurAudit(changes object) object {
	config := object{"workspace_id": "larkspur"}
	maps.Copy(config, changes)
	return config
}

// requireProblems requires exactly the given problems, in their order. Fields
// that are not given must be null.
func requireProblems(t *testing.T, state object, problems ...object) {
	t.Helper()
	want := list{}
	for _, fields := range problems {
		problem := object{"kind": nil, "agent_id": nil, "operation": nil, "status": nil, "code": nil, "message": nil}
		maps.Copy(problem, fields)
		want = append(want, problem)
	}
	if diff := cmp.Diff(want, state["problems"]); diff != "" {
		t.Errorf("unexpected problems (-want +got):\n%s", diff)
	}
	complete := !slices.ContainsFunc(problems, func(p object) bool {
		return slices.Contains([]any{"read_failed", "not_read", "incomplete_list"}, p["kind"])
	})
	if got := state["is_complete"]; got != complete {
		t.Errorf("is_complete is %v", got)
	}
}

// A failed read of one agent is a problem and does not end the audit.
func TestWorkspaceAuditProblems(t *testing.T) {
	t.Parallel()
	s := startServiceWithFaults(t, faults{
		"/v1/agents/agt_jobs":                    devserver.ErrorHandler(403),
		"/v1/agents/agt_kiosk":                   jsonHandler(200, `{"agent":{"profile":{"labels":{}},"safeguards":{"riskScore":"high"}}}`),
		"/v1/agents/agt_orders/analytics/stats":  devserver.ErrorHandler(400, "timeFilter: unknown value", "second issue"),
		"/v1/agents/agt_returns/analytics/stats": devserver.ErrorHandler(404), // It is published.
		"/v1/agents/agt_survey/analytics/stats":  jsonHandler(200, `<html>`),
		"/v1/agents/agt_trade":                   jsonHandler(404, `gone`),
		"/v1/agents/agt_scratch/analytics/stats": jsonHandler(200, `{"code":"NOT_FOUND","message":"Not found"}`),
		// It is a draft, but this is not the service's own 404.
		"/v1/agents/agt_warranty/analytics/stats": jsonHandler(404, `gone`),
	})
	state, diagnostics := configuredProvider(t, s).read(workspaceAuditType, larkspurAudit(object{"stats_periods": list{"today"}}))
	const readStats = "read agent statistics (today)"
	survey := object{"kind": "read_failed", "agent_id": "agt_survey", "operation": readStats, "status": number("200")}
	survey["message"] = state["problems"].(list)[5].(object)["message"] // It is that of the JSON reader.
	requireProblems(t, state,
		object{"kind": "read_failed", "agent_id": "agt_jobs", "operation": "read agent", "status": number("403"), "code": "FORBIDDEN", "message": "Insufficient access"},
		object{"kind": "read_failed", "agent_id": "agt_kiosk", "operation": "read agent", "status": number("200"), "message": "agent.profile.labels: expected an " +
			"array, got an object"},
		object{"kind": "read_failed", "agent_id": "agt_orders", "operation": readStats, "status": number("400"), "code": "BAD_REQUEST",
			"message": "Invalid input data: timeFilter: unknown value; second issue"},
		object{"kind": "read_failed", "agent_id": "agt_returns", "operation": readStats, "status": number("404"), "code": "NOT_FOUND", "message": "Not found"},
		object{"kind": "read_failed", "agent_id": "agt_scratch", "operation": readStats, "status": number("200"), "code": "NOT_FOUND", "message": "Not found"},
		survey,
		object{"kind": "read_failed", "agent_id": "agt_trade", "operation": "read agent", "status": number("404"), "message": "gone"},
		object{"kind": "read_failed", "agent_id": "agt_warranty", "operation": readStats, "status": number("404"), "message": "gone"},
	)
	requireWarning(t, diagnostics, "Workspace audit is incomplete", "\n\nWhat to do: https://github.com/convo/terraform-provider-convo/blob/main/docs/guides/when-an-audit-fails.md", "Problems (8):",
		`agent "agt_jobs", read agent: 403, FORBIDDEN, Insufficient access`, "and 3 more", "Values that could not be read are null or empty, and is_complete is false.")

	agents := state["agents"].(object)
	if jobs := agents["agt_jobs"].(object); jobs["name"] != "Careers" || jobs["revision"] != nil {
		t.Errorf("got %v", jobs)
	}
	unread := object{"total_views": nil, "total_starts": nil, "total_completed": nil, "completion_percent": nil}
	if diff := cmp.Diff(object{"today": unread}, agents["agt_orders"].(object)["stats"]); diff != "" {
		t.Errorf("unexpected statistics (-want +got):\n%s", diff)
	}
	// Without their definitions, these agents are published according to the list.
	for _, id := range []string{"agt_jobs", "agt_kiosk", "agt_trade"} {
		requireAttributes(t, agents[id].(object), object{"is_published": true, "is_locked": nil})
	}
}

// Elements of the list of agents that contradict each other or cannot be audited
// are problems.
func TestWorkspaceAuditOfAnOddList(t *testing.T) {
	t.Parallel()
	const odd = "An element of the list has no ID, or the ID of an earlier one. This element is not audited."
	for listed, test := range map[string]struct {
		agents   list
		problems []object
	}{
		`[{"id":"a"},{"name":"x"},{"id":""},null]`: {
			list{"a"}, []object{{"kind": "not_read", "message": odd}, {"kind": "not_read", "message": odd}, {"kind": "not_read", "message": odd}},
		},
		`[{"id":"a"},{"id":"b"},{"id":"a"}]`: {list{"a", "b"}, []object{{"kind": "not_read", "agent_id": "a", "message": odd}}},
		`[{"id":"a"}],"nextCursor":"abc","total":250`: {list{"a"}, []object{{
			"kind": "incomplete_list", "message": "The response suggests that there are more elements than it lists (evidence: the field nextCursor, the field total).",
		}}},
	} {
		t.Run(listed, func(t *testing.T) {
			t.Parallel()
			agent := jsonHandler(200, `{"agent":{},"currentUserMode":"read"}`)
			s := startServiceWithFaults(t, faults{"/v1/agents": jsonHandler(200, `{"agents":`+listed+`}`), "/v1/agents/a": agent, "/v1/agents/b": agent})
			p := configuredProvider(t, s)
			for _, problem := range test.problems {
				problem["operation"] = "list agents"
			}
			// Each of the agents can be selected by the ID in the result.
			for _, selected := range []any{nil, test.agents} {
				state, diagnostics := p.read(workspaceAuditType, larkspurAudit(object{"agent_ids": selected}))
				requireWarning(t, diagnostics, "Workspace audit is incomplete")
				requireProblems(t, state, test.problems...)
				var ids list
				for _, id := range slices.Sorted(maps.Keys(state["agents"].(object))) {
					ids = append(ids, id)
				}
				if diff := cmp.Diff(test.agents, ids); diff != "" {
					t.Errorf("unexpected agents (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// Documented fields that are missing are a problem each read, and do not end the
// audit.
func TestWorkspaceAuditWithMissingFields(t *testing.T) {
	t.Parallel()
	s := startService(t, withoutFields("workspace.lastActivityAt", "workspace.extras", "currentUserMode", "stats.totalViews", "agent.exposure.access"))
	state, diagnostics := configuredProvider(t, s).read(workspaceAuditType, larkspurAudit(object{"agent_ids": list{"agt_returns"}, "stats_periods": list{"today"}}))
	const message = "The response does not contain these values, which the API documents as never null: "
	requireProblems(t, state,
		object{"kind": "missing_fields", "operation": "read workspace", "message": message + "lastActivityAt, extras."},
		object{"kind": "missing_fields", "agent_id": "agt_returns", "operation": "read agent", "message": message + "currentUserMode."},
		object{"kind": "missing_fields", "agent_id": "agt_returns", "operation": "read agent statistics (today)", "message": message + "totalViews."},
	)
	requireWarning(t, diagnostics, "Workspace audit has missing or contradictory values", "Problems (3):", "read workspace: "+message+"lastActivityAt, extras.")
	agent := state["agents"].(object)["agt_returns"].(object)
	if agent["is_shared"] != nil {
		t.Errorf("without access settings, is_shared is %v", agent["is_shared"])
	}
	stats := agent["stats"].(object)["today"].(object)
	if stats["total_views"] != nil || stats["total_starts"] != number("3") {
		t.Errorf("got the statistics %v", stats)
	}
}

// An audit of nothing does not pass silently, unless nothing was selected.
func TestWorkspaceAuditOfAnEmptyList(t *testing.T) {
	t.Parallel()
	p := configuredProvider(t, startServiceWithFaults(t, faults{"/v1/agents": jsonHandler(200, `{"agents":[]}`)}))
	_, diagnostics := p.read(workspaceAuditType, larkspurAudit(nil))
	requireWarning(t, diagnostics, "[] The audit contains no agents\n", "the workspace that the token or agent_query selects")
	_, diagnostics = p.read(workspaceAuditType, larkspurAudit(object{"agent_ids": list{}}))
	requireNone(t, diagnostics)

	p = configuredProvider(t, startServiceWithFaults(t, faults{"/v1/workspaces/larkspur/members": jsonHandler(200, `{"members":[]}`)}))
	_, diagnostics = p.read(workspaceAuditType, larkspurAudit(nil))
	requireWarning(t, diagnostics, "[] The audit contains no members\n", "permission to list them")
}

func TestWorkspaceAuditOfIncompleteMembers(t *testing.T) {
	t.Parallel()
	s := startServiceWithFaults(t, faults{"/v1/workspaces/larkspur/members": jsonHandler(200, `{"members":[{}],"nextPageToken":"2"}`)})
	requireProblems(t, configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(nil)), object{
		"kind": "incomplete_list", "operation": "list members",
		"message": "The response suggests that there are more elements than it lists (evidence: the field nextPageToken).",
	})
}

// Agents that belong to another workspace are counted, with a warning. A
// workspace_ref is the ID or the slug of a workspace.
func TestWorkspaceAuditOfForeignAgents(t *testing.T) {
	t.Parallel()
	_, diagnostics := configuredProvider(t, startService(t)).read(workspaceAuditType, object{"workspace_id": "ws_tidepool02"})
	requireWarning(t, diagnostics, "[] Audited agents belong to another workspace\nAgents that belong to a workspace other than \"ws_tidepool02\": 11 of 12. ", `other than "ws_tidepool02"`, "check that agent_query selects")
	for ref, want := range map[string]bool{`"ws_other"`: true, `"ws_larkspur01"`: false, `"larkspur"`: false, `""`: false, "null": false} {
		s := startServiceWithFaults(t, faults{"/v1/agents/agt_jobs": jsonHandler(200, `{"agent":{"tenancy":{"workspaceRef":`+ref+`}},"currentUserMode":"read"}`)})
		_, diagnostics := configuredProvider(t, s).read(workspaceAuditType, larkspurAudit(object{"agent_ids": list{"agt_jobs"}}))
		if warned := len(diagnostics) > 0; warned != want {
			t.Errorf("%s: got %q", ref, shown(diagnostics))
		}
	}
}

// What was not asked for cannot make a read fail.
func TestWorkspaceAuditOfAnOddGraph(t *testing.T) {
	t.Parallel()
	s := startServiceWithFaults(t, faults{"/v1/agents/agt_jobs": jsonHandler(200, `{"agent":{"graph":{"memory":7}},"currentUserMode":"read"}`)})
	requireProblems(t, configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(nil)))
}
