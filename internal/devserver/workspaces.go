// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// getWorkspace is operation 1, "Get workspace". The interface leaves the effect of getDefault open: here `true` means
// the caller's own workspace, whatever the path says.
func (s *Server) getWorkspace(c call) (any, error) {
	useDefault, err := parseGetDefault(c.rawQuery)
	if err != nil {
		return nil, err
	}
	id := c.id
	if useDefault {
		id = c.caller.WorkspaceID
	}

	workspace, ok := s.findWorkspace(id)
	if !ok {
		return nil, &failure{status: http.StatusNotFound}
	}
	return map[string]json.RawMessage{"workspace": workspace.Record}, nil
}

// listMembers is operation 3, "List members of a workspace".
func (s *Server) listMembers(c call) (any, error) {
	workspace, ok := s.findWorkspace(c.id)
	if !ok {
		return nil, &failure{status: http.StatusNotFound}
	}
	return map[string][]json.RawMessage{"members": append([]json.RawMessage{}, workspace.Members...)}, nil
}

// findWorkspace finds a workspace by id or, when no id matches, by slug.
func (s *Server) findWorkspace(idOrSlug string) (Workspace, bool) {
	for _, workspace := range s.seed.Workspaces {
		if workspace.ID == idOrSlug {
			return workspace, true
		}
	}
	for _, workspace := range s.seed.Workspaces {
		if workspace.Slug != "" && workspace.Slug == idOrSlug {
			return workspace, true
		}
	}
	return Workspace{}, false
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
// which none of the allowed values contains, so that it is refused like any other value that is not allowed.
func queryParameter(rawQuery, name string) (value string, given bool, err error) {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return "", false, badRequest("query is malformed")
	}
	values, given := query[name]
	return strings.Join(values, ","), given, nil
}
