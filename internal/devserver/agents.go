// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// listAgents serves "List agents" for the caller's current workspace. The API accepts query parameters but documents
// none of them, so all are accepted and none has an effect.
func (s *Server) listAgents(c call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	summaries := []json.RawMessage{}
	for _, id := range s.agentIDs {
		if agent := s.agents[id]; agent.WorkspaceID == c.caller.WorkspaceID {
			summaries = append(summaries, agent.Summary)
		}
	}
	return map[string][]json.RawMessage{"agents": summaries}, nil
}

// getAgent serves "Get agent", for the agents of every workspace.
func (s *Server) getAgent(c call) (any, error) {
	agent, err := s.findAgent(c.id)
	if err != nil {
		return nil, err
	}
	return struct {
		Agent           json.RawMessage `json:"agent"`
		CurrentUserMode Mode            `json:"currentUserMode"`
	}{agent.Definition, c.caller.Mode}, nil
}

func (s *Server) findAgent(id string) (Agent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	agent, ok := s.agents[id]
	if !ok {
		return Agent{}, &failure{status: http.StatusNotFound}
	}
	return agent, nil
}

// ReviseAgent simulates saving an agent: `ref.revision` increases, and `timestamps.updated` of the definition and
// `updatedAt` of the summary become the current time. It adds the fields that the definition lacks. It returns the new
// revision, and an error when the agent does not exist or its revision is not a whole number.
func (s *Server) ReviseAgent(agentID string) (revision string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	agent, ok := s.agents[agentID]
	if !ok {
		return "", fmt.Errorf("revise agent %q: no such agent", agentID)
	}
	if revision, err = nextRevision(agent.Definition); err != nil {
		return "", fmt.Errorf("revise agent %q: %w", agentID, err)
	}

	now := timestamp(s.clock())
	if agent.Definition, err = mergePatch(agent.Definition, map[string]json.RawMessage{
		"ref":        fmt.Appendf(nil, `{"revision":%q}`, revision),
		"timestamps": fmt.Appendf(nil, `{"updated":%q}`, now),
	}); err != nil {
		return "", fmt.Errorf("revise agent %q: definition: %w", agentID, err)
	}
	if agent.Summary, err = mergePatch(agent.Summary, map[string]json.RawMessage{
		"updatedAt": fmt.Appendf(nil, "%q", now),
	}); err != nil {
		return "", fmt.Errorf("revise agent %q: summary: %w", agentID, err)
	}
	s.agents[agentID] = agent
	return revision, nil
}

// timestamp formats an instant like those in the seed; the API does not document the format.
func timestamp(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// currentRevision returns `ref.revision` of a definition, or "" when it has none.
func currentRevision(definition json.RawMessage) (string, error) {
	var agent struct {
		Ref struct {
			Revision string `json:"revision"`
		} `json:"ref"`
	}
	if err := json.Unmarshal(definition, &agent); err != nil {
		return "", fmt.Errorf("read ref.revision: %w", err)
	}
	return agent.Ref.Revision, nil
}

func nextRevision(definition json.RawMessage) (string, error) {
	revision, err := currentRevision(definition)
	if err != nil {
		return "", err
	}
	if revision == "" {
		return "1", nil
	}
	number, err := strconv.ParseInt(revision, 10, 64)
	if err != nil {
		return "", fmt.Errorf("ref.revision is not a whole number: %w", err)
	}
	return strconv.FormatInt(number+1, 10), nil
}
