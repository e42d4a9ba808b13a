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

// getWorkspace serves "Get workspace". The API does not document the effect of getDefault: here `true` selects the
// caller's own workspace, whatever the path contains.
func (s *Server) getWorkspace(caller Caller, r *http.Request) (any, error) {
	id := r.PathValue("workspaceId")
	if r.URL.Query().Get("getDefault") == "true" {
		id = caller.WorkspaceID
	}
	workspace, err := s.findWorkspace(id)
	if err != nil {
		return nil, err
	}
	document := workspace.Documents["workspace"]
	if s.seed.Deviates {
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(document, &fields) // withoutFields wrote it.
		fields["lastActivityAt"] = []byte(time.Now().UTC().Format(`"2006-01-02T15:04:05.000000Z"`))
		document = must(json.Marshal(fields))
	}
	return map[string]any{"workspace": document}, nil
}

// getDocument serves the lists of a workspace, such as "List members of a workspace". The last segment of the path is the
// key of the list in the workspace's documents, and in the response.
func (s *Server) getDocument(_ Caller, r *http.Request) (any, error) {
	workspace, err := s.findWorkspace(r.PathValue("workspaceId"))
	if err != nil {
		return nil, err
	}
	name := path.Base(r.Pattern)
	document, ok := workspace.Documents[name]
	if !ok {
		return nil, errNotFound
	}
	return map[string]any{name: document}, nil
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
