// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"net/http"
	"strings"
	"testing"
)

// If a service ignores the period, all periods have the same counters.
func TestWorkspaceAuditOfEqualPeriods(t *testing.T) {
	t.Parallel()
	ignored := withFault(func(r *http.Request) http.Handler {
		if strings.HasSuffix(r.URL.Path, "/agt_orders/analytics/stats") {
			return jsonHandler(200, `{"stats":{"totalViews":7,"totalStarts":3,"totalCompleted":1}}`)
		}
		if strings.HasSuffix(r.URL.Path, "/analytics/stats") {
			return jsonHandler(200, `{"stats":{"totalViews":0,"totalStarts":0,"totalCompleted":0}}`)
		}
		return nil
	})
	p := configuredProvider(t, startService(t, ignored))
	config := object{"agent_ids": list{"agt_returns", "agt_orders"}, "stats_periods": list{"today", "allTime"}}
	state, diagnostics := p.read(workspaceAuditType, larkspurAudit(config))
	requireProblems(t, state, object{"kind": "equal_statistics", "operation": "read agent statistics",
		"message": "All periods (allTime, today) have the same statistics. The service may ignore the query parameter for the period, whose " +
			"name the API does not document. Compare the statistics with those in the service's own user interface."})
	requireWarning(t, diagnostics, "Workspace audit has missing or contradictory values", "The service may ignore the query parameter")

	for name, changes := range map[string]object{
		"one period":  {"stats_periods": list{"today"}},
		"no sessions": {"agent_ids": list{"agt_returns"}},
	} {
		changed := larkspurAudit(config)
		maps.Copy(changed, changes)
		if state := p.mustRead(workspaceAuditType, changed); len(state["problems"].(list)) > 0 {
			t.Errorf("%s: got the problems %v", name, state["problems"])
		}
	}
	// The development server honors the period.
	if state := configuredProvider(t, startService(t)).mustRead(workspaceAuditType, larkspurAudit(config)); len(state["problems"].(list)) > 0 {
		t.Errorf("got the problems %v", state["problems"])
	}
}

// A publication that failed leaves an agent without an address, which only other agents can show.
func TestWorkspaceAuditOfPublishedAgentsWithoutURL(t *testing.T) {
	t.Parallel()
	problem := object{"kind": "missing_url", "agent_id": "b", "operation": "read agent",
		"message": "The agent is published, but has no URL, public ID, or domain, although other agents have a URL."}
	const published = `"exposure":{"state":{"published":true}}`
	for name, test := range map[string]struct {
		url, other string // the first agent's URL, and members of the second agent's definition
		want       []object
	}{
		"without":          {`"https://a.example"`, published, []object{problem}},
		"not published":    {`"https://a.example"`, `"exposure":{"state":{"published":false}}`, nil},
		"nobody has a URL": {`null`, published, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			definition := func(members string) http.Handler {
				return jsonHandler(200, `{"agent":{`+members+`},"currentUserMode":"read"}`)
			}
			s := startServiceWithFaults(t, faults{
				"/v1/agents":   jsonHandler(200, `{"agents":[{"id":"a"},{"id":"b"}]}`),
				"/v1/agents/a": definition(`"exposure":{"state":{"published":true},"access":{"url":` + test.url + `}}`), "/v1/agents/b": definition(test.other),
			})
			requireProblems(t, configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(nil)), test.want...)
		})
	}
}

// What one definition cannot show: a link to an agent that is not listed, although others are.
func TestWorkspaceAuditOfMissingAgents(t *testing.T) {
	t.Parallel()
	definition := func(key, options string) http.Handler {
		return jsonHandler(200, `{"agent":{"ref":{"key":"`+key+`"},"graph":{
			"links":[{"id":"l","from":{"eventId":"e"},"to":{"groupId":"n"}}],"entrypoints":[{"id":"e","type":"start","outgoingEdgeId":"l"}],
			"nodes":[{"id":"n","blocks":[{"id":"item","options":`+options+`}]}]}},"currentUserMode":"read"}`)
	}
	const list2 = `{"agents":[{"id":"a"},{"id":"b","publicId":"public_b"}]`
	const toB = `{"botId":"b","groupId":"there"}`
	unlisted := []object{{"kind": "missing_agent", "agent_id": "b", "operation": "read agent",
		"message": `The element "item" links to the agent "gone" (botId), which is not in the list of agents.`}}
	more := []object{{"kind": "incomplete_list", "operation": "list agents",
		"message": "The response suggests that there are more elements than it lists (evidence: the field nextCursor)."}}
	for name, test := range map[string]struct {
		list, a   string
		arguments object
		want      []object
	}{
		"unlisted":         {list2 + `}`, toB, nil, unlisted},
		"by key":           {list2 + `}`, `{"botId":"key_b"}`, nil, unlisted},
		"by public ID":     {list2 + `}`, `{"botId":"public_b"}`, nil, unlisted},
		"incomplete list":  {list2 + `,"nextCursor":"x"}`, toB, nil, more},
		"only some agents": {list2 + `}`, toB, object{"agent_ids": list{"a", "b"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arguments := object{"include_graph_findings": true}
			maps.Copy(arguments, test.arguments)
			s := startServiceWithFaults(t, faults{
				"/v1/agents": jsonHandler(200, test.list), "/v1/agents/a": definition("a", test.a), "/v1/agents/b": definition("key_b", `{"botId":"gone","credentialId":"c"}`),
			})
			requireProblems(t, configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(arguments)), test.want...)
		})
	}
}
