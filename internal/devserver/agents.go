// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"cmp"
	"encoding/json"
	"net/http"
)

// listAgents lists the agents of the caller's current workspace. The API accepts query parameters but documents none of
// them, so all are accepted and none has an effect.
func (s *Server) listAgents(caller Caller, _ *http.Request) (any, *failure) {
	summaries := []json.RawMessage{}
	for _, agent := range s.seed.Agents {
		if agent.WorkspaceID == caller.WorkspaceID {
			summaries = append(summaries, agent.Summary)
		}
	}
	return map[string]any{"agents": summaries}, nil
}

// getAgent returns the agents of every workspace.
func (s *Server) getAgent(caller Caller, r *http.Request) (any, *failure) {
	agent, ok := s.agents[r.PathValue("agentId")]
	if !ok {
		return nil, errNotFound
	}
	return map[string]any{"agent": agent.Definition, "currentUserMode": caller.Mode}, nil
}

// getAgentStats returns counters. The API documents neither the name of the parameter that selects the period, here
// timeFilter, nor the period of a request without it, here allTime.
func (s *Server) getAgentStats(_ Caller, r *http.Request) (any, *failure) {
	var stats map[string]json.RawMessage // by period
	_ = json.Unmarshal(s.agents[r.PathValue("agentId")].Documents["stats"], &stats)
	if stats == nil {
		return nil, errNotFound
	}
	const parameter = "timeFilter"
	period := cmp.Or(r.URL.Query().Get(parameter), "allTime")
	if stats[period] == nil {
		return nil, badRequest("query parameter %s has an unknown value %q", parameter, period)
	}
	return map[string]any{"stats": stats[period]}, nil
}
