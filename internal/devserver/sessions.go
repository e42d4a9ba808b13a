// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"net/http"
)

// updateSessionAgent checks and logs an update, which changes nothing that a response contains. A session that does not
// exist or is not active is invalid input, because the operation lists no 404. The API does not document the payload: here
// the key agentId names the new agent, and other keys have no effect.
func (s *Server) updateSessionAgent(_ Caller, r *http.Request) (any, *failure) {
	var payload map[string]any
	if err := json.NewDecoder(r.Body).Decode(&payload); err != nil || payload == nil {
		return nil, badRequest("body must be a JSON object")
	}

	id := r.PathValue("sessionId")
	active, exists := s.seed.Sessions[id]
	switch {
	case !exists:
		return nil, badRequest("session %q does not exist", id)
	case !active:
		return nil, badRequest("session %q is not active", id)
	}

	agentID := "unchanged"
	if value, given := payload["agentId"]; given {
		agentID, _ = value.(string)
		if _, exists := s.agents[agentID]; !exists {
			return nil, badRequest("agentId must be the ID of an existing agent")
		}
	}
	s.Logger.InfoContext(r.Context(), "session update", "session", id, "agent", agentID)
	return map[string]string{"message": "success"}, nil
}
