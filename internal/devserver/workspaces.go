// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"net/http"
)

// document returns an operation that returns what the workspace or the agent in its path has under a key of its documents.
// What is not there is an empty list.
func document(key string) operation {
	return func(s *Server, _ Caller, r *http.Request) (any, *failure) {
		documents := s.findDocuments(r)
		if documents == nil {
			return nil, errNotFound
		}
		document, ok := documents[key]
		if !ok {
			document = json.RawMessage("[]")
		}
		return map[string]any{key: document}, nil
	}
}

// findDocuments returns the documents of the agent in a path, or of the workspace, by its ID or slug.
func (s *Server) findDocuments(r *http.Request) map[string]json.RawMessage {
	if agent, ok := s.agents[r.PathValue("agentId")]; ok {
		return agent.Documents
	}
	id := r.PathValue("workspaceId")
	for _, workspace := range s.seed.Workspaces {
		if id != "" && (workspace.ID == id || workspace.Slug == id) {
			return workspace.Documents
		}
	}
	return nil
}
