// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"net/http"
	"net/url"
	"strings"
)

// operation is one operation of the section "Endpoints".
type operation struct {
	method string
	path   string // with at most one parameter, in braces
	needs  Mode
	serve  func(call) (any, error)
}

// call is an authenticated request, taken apart for its operation.
type call struct {
	caller   Caller
	id       string // the path parameter, unescaped
	rawQuery string
	body     []byte
}

// describeOperations lists the operations. The mode that each one needs is this service's choice, because the API does
// not document it; openapi.yaml states the same modes.
func (s *Server) describeOperations() []operation {
	return []operation{
		{http.MethodGet, "/v1/workspaces/{workspaceId}", ModeRead, s.getWorkspace},
		{http.MethodGet, "/v1/agents/{agentId}/analytics/stats", ModeGuest, s.getStats},
		{http.MethodGet, "/v1/workspaces/{workspaceId}/members", ModeRead, s.workspaceList("members")},
		{http.MethodGet, "/v1/agents", ModeGuest, s.listAgents},
		{http.MethodPost, "/v1/sessions/{sessionId}/updateAgent", ModeWrite, s.updateSessionAgent},
		{http.MethodGet, "/v1/agents/{agentId}", ModeGuest, s.getAgent},
	}
}

// match finds the operation of a request and the value of its path parameter. Without a match any access is enough to
// get a 404. It does not use [http.ServeMux], which redirects paths with empty or dot segments and responds to wrong
// methods with 405: the API documents neither.
func (s *Server) match(method, escapedPath string) (op operation, id string, found bool) {
	for _, op := range s.operations {
		if op.method != method {
			continue
		}
		if id, ok := matchPath(op.path, escapedPath); ok {
			return op, id, true
		}
	}
	return operation{needs: ModeGuest}, "", false
}

// matchPath compares a path with a pattern segment by segment, so that an escaped slash stays inside its segment.
func matchPath(pattern, escapedPath string) (id string, ok bool) {
	wanted := strings.Split(pattern, "/")
	given := strings.Split(escapedPath, "/")
	if len(wanted) != len(given) {
		return "", false
	}
	for i, segment := range given {
		if segment == "." || segment == ".." {
			return "", false
		}
		value, err := url.PathUnescape(segment)
		if err != nil {
			return "", false
		}
		switch {
		case strings.HasPrefix(wanted[i], "{") && value != "":
			id = value
		case wanted[i] != value:
			return "", false
		}
	}
	return id, true
}
