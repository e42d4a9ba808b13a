// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"cmp"
	"net/http"
	"path"
	"slices"
)

// getWorkspace serves "Get workspace". The API does not document the effect of getDefault: here `true` selects the
// caller's own workspace, whatever the path contains.
func (s *Server) getWorkspace(caller Caller, r *http.Request) (any, error) {
	id := r.PathValue("workspaceId")
	switch value := r.URL.Query().Get("getDefault"); value {
	case "", "false":
	case "true":
		id = caller.WorkspaceID
	default:
		return nil, badRequest("query parameter getDefault must be true or false, not %q", value)
	}
	workspace, err := s.findWorkspace(id)
	if err != nil {
		return nil, err
	}
	return map[string]any{"workspace": workspace.Documents["workspace"]}, nil
}

// getDocument serves the operations without a function, such as "List members of a workspace". It returns the document of
// the workspace in the path, or else of the caller's, that the last segment of the path names. If there is none, it
// returns the example of the response in openapi.yaml.
func (s *Server) getDocument(op operation, caller Caller, r *http.Request) (any, error) {
	workspace, err := s.findWorkspace(cmp.Or(r.PathValue("workspaceId"), caller.WorkspaceID))
	if err != nil {
		return nil, err
	}
	if id := r.PathValue("agentId"); id != "" && s.agents[id].ID != id {
		return nil, errNotFound
	}
	name := path.Base(op.path)
	if document, ok := workspace.Documents[name]; ok {
		return map[string]any{name: document}, nil
	}
	if op.example == nil {
		return nil, errNotFound
	}
	return op.example, nil
}

// findWorkspace finds a workspace by ID or slug.
func (s *Server) findWorkspace(idOrSlug string) (Workspace, error) {
	index := slices.IndexFunc(s.seed.Workspaces, func(w Workspace) bool {
		return w.ID == idOrSlug || w.Slug != "" && w.Slug == idOrSlug
	})
	if index < 0 {
		return Workspace{}, errNotFound
	}
	return s.seed.Workspaces[index], nil
}
