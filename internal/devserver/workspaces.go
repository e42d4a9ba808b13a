// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"net/http"
	"path"
)

// getWorkspace returns a workspace. The API does not document the effect of getDefault: here it has none.
func (s *Server) getWorkspace(_ Caller, r *http.Request) (any, *failure) {
	documents, failed := s.findDocuments(r)
	if failed != nil {
		return nil, failed
	}
	return map[string]any{"workspace": documents["workspace"]}, nil
}

// getDocument serves a document of a workspace or an agent, such as listMembers. The last segment of the path is its
// key among their documents, and in the response. What is not there is an empty list.
func (s *Server) getDocument(_ Caller, r *http.Request) (any, *failure) {
	documents, failed := s.findDocuments(r)
	if failed != nil {
		return nil, failed
	}
	name := path.Base(r.Pattern)
	document, ok := documents[name]
	if !ok {
		document = json.RawMessage("[]")
	}
	return map[string]any{name: document}, nil
}

// findDocuments returns the documents of the agent in a path, or of the workspace, by its ID or slug.
func (s *Server) findDocuments(r *http.Request) (map[string]json.RawMessage, *failure) {
	if agent, ok := s.agents[r.PathValue("agentId")]; ok {
		return agent.Documents, nil
	}
	id := r.PathValue("workspaceId")
	for _, workspace := range s.seed.Workspaces {
		if id != "" && (workspace.ID == id || workspace.Slug == id) {
			return workspace.Documents, nil
		}
	}
	return nil, errNotFound
}
