// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"time"
)

// getWorkspace returns a workspace. The API does not document the effect of getDefault: here it has none.
func (s *Server) getWorkspace(_ Caller, r *http.Request) (any, *failure) {
	workspace, failed := s.findWorkspace(r.PathValue("workspaceId"))
	if failed != nil {
		return nil, failed
	}
	document := s.omitting(workspace.Documents["workspace"], "chatUsage", "extras", "addons", "paymentsConnectId")
	if s.seed.Deviates {
		var fields map[string]any
		_ = json.Unmarshal(document, &fields) // The server wrote it.
		fields["lastActivityAt"] = time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")
		return map[string]any{"workspace": fields}, nil
	}
	return map[string]any{"workspace": document}, nil
}

// getDocument serves the lists of a workspace, such as listMembers. The last segment of the path is the
// key of the list in the workspace's documents, and in the response.
func (s *Server) getDocument(_ Caller, r *http.Request) (any, *failure) {
	workspace, failed := s.findWorkspace(r.PathValue("workspaceId"))
	if failed != nil {
		return nil, failed
	}
	name := path.Base(r.Pattern)
	document, ok := workspace.Documents[name]
	if !ok {
		return nil, errNotFound
	}
	return map[string]any{name: document}, nil
}

// findWorkspace finds a workspace by ID or slug.
func (s *Server) findWorkspace(idOrSlug string) (Workspace, *failure) {
	index := slices.IndexFunc(s.seed.Workspaces, func(w Workspace) bool {
		return w.ID == idOrSlug || w.Slug != "" && w.Slug == idOrSlug
	})
	if index < 0 {
		return Workspace{}, errNotFound
	}
	return s.seed.Workspaces[index], nil
}
