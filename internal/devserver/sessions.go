// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
)

// Session is a chat session. The API does not document the fields of a session record, and no response contains them.
type Session struct {
	ID            string `json:"id"`
	AgentID       string `json:"agentId"`
	AgentRevision string `json:"agentRevision"` // the agent's revision that the session runs
	Active        bool   `json:"active"`        // only the agent of an active session can be updated
}

// Sessions returns the sessions as they are now, sorted by ID.
func (s *Server) Sessions() []Session {
	s.mu.Lock()
	defer s.mu.Unlock()

	sessions := make([]Session, 0, len(s.sessions))
	for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
		sessions = append(sessions, s.sessions[id])
	}
	return sessions
}

// updateSessionAgent serves "Update the agent of a session". A session that does not exist or is not active is invalid
// input, because the operation lists no 404. The API does not document the payload: here the key agentId names the new
// agent, other keys have no effect, and without the key the session keeps its agent. In both cases the session then runs
// the agent's newest revision.
func (s *Server) updateSessionAgent(r *http.Request) (any, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if len(body) > maxBodyBytes {
		return nil, badRequest(issue{Message: fmt.Sprintf("body must not be larger than %d bytes", maxBodyBytes)})
	}
	var payload map[string]json.RawMessage
	if err := json.Unmarshal(body, &payload); err != nil || payload == nil {
		return nil, badRequest(issue{Message: "body must be a JSON object"})
	}

	var issues []issue
	id := r.PathValue("sessionId")
	session, ok := s.sessions[id]
	switch {
	case !ok:
		issues = append(issues, issue{fmt.Sprintf("session %q does not exist", id), []string{"sessionId"}})
	case !session.Active:
		issues = append(issues, issue{fmt.Sprintf("session %q is not active", id), []string{"sessionId"}})
	}

	if value, given := payload["agentId"]; given {
		session.AgentID = "" // null leaves it unchanged
		err := json.Unmarshal(value, &session.AgentID)
		if _, exists := s.agents[session.AgentID]; err != nil || !exists {
			issues = append(issues, issue{"agentId must be the ID of an existing agent", []string{"agentId"}})
		}
	}
	if len(issues) > 0 {
		return nil, badRequest(issues...)
	}

	var definition struct{ Ref struct{ Revision string } }
	if err := json.Unmarshal(s.agents[session.AgentID].Definition, &definition); err != nil {
		return nil, fmt.Errorf("read ref.revision: %w", err)
	}
	session.AgentRevision = definition.Ref.Revision
	s.sessions[session.ID] = session
	return map[string]string{"message": "success"}, nil
}
