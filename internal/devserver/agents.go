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

// listAgents is operation 4, "List agents". The interface says that it accepts query parameters but names none, so all
// are accepted and none has an effect.
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

// getAgent is operation 6, "Get agent". It finds the agents of every workspace.
func (s *Server) getAgent(c call) (any, error) {
	agent, ok := s.findAgent(c.id)
	if !ok {
		return nil, &failure{status: http.StatusNotFound}
	}
	return struct {
		Agent           json.RawMessage `json:"agent"`
		CurrentUserMode Mode            `json:"currentUserMode"`
	}{agent.Definition, c.caller.Mode}, nil
}

func (s *Server) findAgent(id string) (Agent, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	agent, ok := s.agents[id]
	return agent, ok
}

// ReviseAgent does what happens when someone saves an agent: `ref.revision` increases, and `timestamps.updated` of the
// definition and `updatedAt` of the summary become the current time. It creates what the definition lacks. It returns
// the new revision, and an error when there is no such agent or its revision is no whole number.
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
	for _, change := range []struct {
		document *json.RawMessage
		value    string
		path     []string
	}{
		{&agent.Definition, revision, []string{"ref", "revision"}},
		{&agent.Definition, now, []string{"timestamps", "updated"}},
		{&agent.Summary, now, []string{"updatedAt"}},
	} {
		if *change.document, err = withValue(*change.document, change.value, change.path...); err != nil {
			return "", fmt.Errorf("revise agent %q: %w", agentID, err)
		}
	}
	s.agents[agentID] = agent
	return revision, nil
}

// timestamp writes an instant as the seed does; the interface leaves the format open.
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
		return "", fmt.Errorf("ref.revision is no whole number: %w", err)
	}
	return strconv.FormatInt(number+1, 10), nil
}

// withValue returns document with a value set at a path of keys. Everything beside the path keeps its bytes.
func withValue(document json.RawMessage, value string, path ...string) (json.RawMessage, error) {
	if len(path) == 0 {
		return encode(value)
	}
	object := map[string]json.RawMessage{}
	if len(document) > 0 {
		if err := json.Unmarshal(document, &object); err != nil {
			return nil, fmt.Errorf("set %s: %w", path[0], err)
		}
	}
	if object == nil { // the document was null
		object = map[string]json.RawMessage{}
	}
	inner, err := withValue(object[path[0]], value, path[1:]...)
	if err != nil {
		return nil, err
	}
	object[path[0]] = inner
	return encode(object)
}
