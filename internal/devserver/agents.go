// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"cmp"
	"encoding/json"
	"net/http"
)

// listAgents serves "List agents" for the caller's current workspace. The API accepts query parameters but documents
// none of them, so all are accepted and none has an effect, unless [Seed.Deviates] makes workspaceId required.
func (s *Server) listAgents(caller Caller, r *http.Request) (any, *failure) {
	summaries := []json.RawMessage{}
	if id := r.URL.Query().Get("workspaceId"); s.seed.Deviates && id != caller.WorkspaceID {
		if id == "" {
			return nil, &failure{status: http.StatusBadRequest, issues: []string{"Required"}, path: []string{"workspaceId"}}
		}
		return map[string]any{"agents": summaries}, nil
	}
	for _, agent := range s.seed.Agents {
		if agent.WorkspaceID == caller.WorkspaceID {
			summaries = append(summaries, s.shown(agent.Summary, "publishedAt", "domainId"))
		}
	}
	return map[string]any{"agents": summaries}, nil
}

// getAgent serves "Get agent", for the agents of every workspace.
func (s *Server) getAgent(caller Caller, r *http.Request) (any, *failure) {
	agent, ok := s.agents[r.PathValue("agentId")]
	if !ok {
		return nil, errNotFound
	}
	definition := s.shown(agent.Definition,
		"exposure.access.share", "exposure.schedule", "tenancy.workspace.collaborators", "safeguards.security")
	return map[string]any{"agent": definition, "currentUserMode": caller.Mode}, nil
}

// periods are the first and the last day of each period, in UTC, for a clock that is fixed at March 18, 2026, shortly
// after the last activity in the default seed, so that the statistics are reproducible.
var periods = map[string]struct{ first, last string }{
	"today":       {"2026-03-18", "2026-03-18"},
	"last7Days":   {"2026-03-12", "2026-03-18"},
	"last30Days":  {"2026-02-17", "2026-03-18"},
	"monthToDate": {"2026-03-01", "2026-03-18"},
	"lastMonth":   {"2026-02-01", "2026-02-28"},
	"yearToDate":  {"2026-01-01", "2026-03-18"},
	"allTime":     {"", "2026-03-18"},
}

// stats is the value of the key `stats` (section "Agent statistics").
type stats struct {
	TotalViews     int64 `json:"totalViews"`
	TotalStarts    int64 `json:"totalStarts"`
	TotalCompleted int64 `json:"totalCompleted"`
}

// getAgentStats serves "Get agent statistics". The API documents neither the name of the parameter that selects the
// period, here timeFilter, nor the period of a request without it, here allTime.
func (s *Server) getAgentStats(_ Caller, r *http.Request) (any, *failure) {
	const parameter = "timeFilter"
	name := cmp.Or(r.URL.Query().Get(parameter), "allTime")
	period, ok := periods[name]
	if !ok {
		return nil, badRequest("query parameter %s has an unknown value %q", parameter, name)
	}
	agent, ok := s.agents[r.PathValue("agentId")]
	var summary struct{ IsPublished bool }
	_ = json.Unmarshal(agent.Summary, &summary)
	if !ok || s.seed.Deviates && !summary.IsPublished {
		return nil, errNotFound
	}

	var total stats
	for _, daily := range agent.Daily {
		if period.first <= daily.Day && daily.Day <= period.last {
			total.TotalViews += daily.Views
			total.TotalStarts += daily.Starts
			total.TotalCompleted += daily.Completed
		}
	}
	return map[string]stats{"stats": total}, nil
}
