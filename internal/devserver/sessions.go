// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
)

// Session is a chat session. The API does not document the fields of a session record, and no response contains them.
type Session struct {
	ID     string `json:"id"`
	Active bool   `json:"active"` // only the agent of an active session can be updated
}

// updateSessionAgent checks and logs an update, which changes nothing that a response contains. A session that does not
// exist or is not active is invalid input, because the operation lists no 404. The API does not document the payload: here
// the key agentId names the new agent, and other keys have no effect.
func (s *Server) updateSessionAgent(_ Caller, r *http.Request) (any, *failure) {
	var payload map[string]json.RawMessage
	body, _ := io.ReadAll(r.Body) // an incomplete body is not a JSON document
	if err := json.Unmarshal(body, &payload); err != nil || payload == nil {
		return nil, badRequest("body must be a JSON object")
	}

	id := r.PathValue("sessionId")
	index := slices.IndexFunc(s.seed.Sessions, func(session Session) bool { return session.ID == id })
	switch {
	case index < 0:
		return nil, badRequest("session %q does not exist", id)
	case !s.seed.Sessions[index].Active:
		return nil, badRequest("session %q is not active", id)
	}

	agentID := "unchanged"
	if value, given := payload["agentId"]; given {
		err := json.Unmarshal(value, &agentID)
		if _, exists := s.agents[agentID]; err != nil || !exists {
			return nil, badRequest("agentId must be the ID of an existing agent")
		}
	}
	s.Logger.InfoContext(r.Context(), "session update", "session", id, "agent", agentID)
	return map[string]string{"message": "success"}, nil
}
