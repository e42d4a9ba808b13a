// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// getWorkspace serves "Get workspace". The API does not document the effect of getDefault: here `true` selects the
// caller's own workspace, whatever the path contains.
func (s *Server) getWorkspace(caller Caller, r *http.Request) (any, error) {
	value, given, err := queryParameter(r, "getDefault")
	switch {
	case err != nil:
		return nil, err
	case given && value != "true" && value != "false":
		message := fmt.Sprintf("query parameter getDefault must be true or false, not %q", value)
		return nil, badRequest(issue{message, []string{"getDefault"}})
	}
	id := r.PathValue("workspaceId")
	if value == "true" {
		id = caller.WorkspaceID
	}
	workspace, err := s.findWorkspace(id)
	if err != nil {
		return nil, err
	}
	document := workspace.Documents["workspace"]
	if s.has(ReadActivity) {
		s.reads++
		document, err = withActivity(document, now().Add(time.Duration(s.reads)*time.Second))
	}
	return map[string]any{"workspace": document}, err
}

// getDocument returns a document of the workspace in the path, or else of the caller's, under the key of the operation,
// such as `members` for "List members of a workspace". A workspace without the document has an empty list.
func (s *Server) getDocument(op operation, caller Caller, r *http.Request) (any, error) {
	workspace, err := s.findWorkspace(cmp.Or(r.PathValue("workspaceId"), caller.WorkspaceID))
	if err != nil {
		return nil, err
	}
	document, ok := workspace.Documents[op.key]
	switch {
	case !ok && op.isList:
		document = json.RawMessage("[]")
	case !ok:
		return nil, &failure{status: http.StatusNotFound}
	}
	return map[string]any{op.key: document}, nil
}

// findWorkspace finds a workspace by ID or, when no ID matches, by slug.
func (s *Server) findWorkspace(idOrSlug string) (Workspace, error) {
	workspaces := s.seed.Workspaces
	index := slices.IndexFunc(workspaces, func(w Workspace) bool { return w.ID == idOrSlug })
	if index < 0 && idOrSlug != "" {
		index = slices.IndexFunc(workspaces, func(w Workspace) bool { return w.Slug == idOrSlug })
	}
	if index < 0 {
		return Workspace{}, &failure{status: http.StatusNotFound}
	}
	return workspaces[index], nil
}

// withActivity returns a workspace with another time of its last activity.
func withActivity(document json.RawMessage, activity time.Time) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document, &fields); err != nil {
		return nil, err
	}
	fields["lastActivityAt"] = fmt.Appendf(nil, "%q", timestamp(activity))
	return encode(fields)
}

// queryParameter returns the value of a query parameter. The values of a repeated parameter are joined with commas,
// which none of the allowed values contains, so that it is rejected like any other value that is not allowed.
func queryParameter(r *http.Request, name string) (value string, given bool, err error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", false, badRequest(issue{Message: "query is malformed"})
	}
	values, given := query[name]
	return strings.Join(values, ","), given, nil
}
