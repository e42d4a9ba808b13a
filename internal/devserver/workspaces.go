// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// getWorkspace serves "Get workspace". The API does not document the effect of getDefault: here `true` selects the
// caller's own workspace, whatever the path contains.
func (s *Server) getWorkspace(c call) (any, error) {
	useDefault, err := parseGetDefault(c.rawQuery)
	if err != nil {
		return nil, err
	}
	id := c.id
	if useDefault {
		id = c.caller.WorkspaceID
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	workspace, err := s.findWorkspace(id)
	if err != nil {
		return nil, err
	}
	return map[string]json.RawMessage{"workspace": workspace.Record}, nil
}

// workspaceList serves a list of a workspace under its key, such as "List members of a workspace" under `members`.
func (s *Server) workspaceList(key string) func(call) (any, error) {
	return func(c call) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		workspace, err := s.findWorkspace(c.id)
		if err != nil {
			return nil, err
		}
		return map[string][]json.RawMessage{key: append([]json.RawMessage{}, workspace.Lists[key]...)}, nil
	}
}

// findWorkspace finds a workspace by ID or, when no ID matches, by slug. The caller holds the lock.
func (s *Server) findWorkspace(idOrSlug string) (*Workspace, error) {
	index := slices.IndexFunc(s.workspaces, func(w Workspace) bool { return w.ID == idOrSlug })
	if index < 0 && idOrSlug != "" {
		index = slices.IndexFunc(s.workspaces, func(w Workspace) bool { return w.Slug == idOrSlug })
	}
	if index < 0 {
		return nil, &failure{status: http.StatusNotFound}
	}
	return &s.workspaces[index], nil
}

func parseGetDefault(rawQuery string) (bool, error) {
	value, given, err := queryParameter(rawQuery, "getDefault")
	if err != nil || !given {
		return false, err
	}
	switch value {
	case "true":
		return true, nil
	case "false":
		return false, nil
	default:
		return false, badRequest(fmt.Sprintf("query parameter getDefault must be true or false, not %q", value))
	}
}

// queryParameter returns the value of a query parameter. The values of a repeated parameter are joined with commas,
// which none of the allowed values contains, so that it is rejected like any other value that is not allowed.
func queryParameter(rawQuery, name string) (value string, given bool, err error) {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return "", false, badRequest("query is malformed")
	}
	values, given := query[name]
	return strings.Join(values, ","), given, nil
}
