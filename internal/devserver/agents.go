// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"net/http"
)

// listAgents serves "List agents" for the caller's current workspace. The API accepts query parameters but documents
// none of them, so all are accepted and none has an effect; [WorkspaceInQuery] changes that.
func (s *Server) listAgents(c call) (any, error) {
	workspaceID := c.caller.WorkspaceID
	if s.has(WorkspaceInQuery) {
		given, ok, err := queryParameter(c.rawQuery, "workspaceId")
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, badRequest("workspaceId", "query parameter workspaceId is required")
		}
		workspaceID = given
	}
	summaries := []json.RawMessage{}
	for _, agent := range s.seed.Agents {
		if agent.WorkspaceID == workspaceID {
			summaries = append(summaries, agent.Summary)
		}
	}
	return map[string]any{"agents": summaries}, nil
}

// getAgent serves "Get agent", for the agents of every workspace.
func (s *Server) getAgent(c call) (any, error) {
	agent, ok := s.agents[c.id]
	if !ok || s.has(UnpaidAgents) && s.isUnpaid(agent.WorkspaceID) {
		return nil, &failure{status: http.StatusNotFound}
	}
	return struct {
		Agent           json.RawMessage `json:"agent"`
		CurrentUserMode Mode            `json:"currentUserMode"`
	}{agent.Definition, c.caller.Mode}, nil
}
