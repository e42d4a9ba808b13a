// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"net/http"
	"net/url"
	"strings"
)

// operation is one operation of the section "Endpoints". The zero value stands for no operation: any access is enough
// to learn that there is none.
type operation struct {
	method string
	path   string // with at most one parameter, in braces
	needs  Mode
	serve  func(call) (any, error)
}

// call is what an operation is given: an authenticated request, taken apart.
type call struct {
	caller   Caller
	id       string // the path parameter, unescaped
	rawQuery string
	body     []byte
}

// describeOperations lists the operations in the order of the interface. The access that each one needs is a choice:
// the interface leaves it open.
func (s *Server) describeOperations() []operation {
	return []operation{
		{http.MethodGet, "/v1/workspaces/{workspaceId}", ModeRead, s.getWorkspace},
		{http.MethodGet, "/v1/agents/{agentId}/analytics/stats", ModeGuest, s.getStats},
		{http.MethodGet, "/v1/workspaces/{workspaceId}/members", ModeRead, s.listMembers},
		{http.MethodGet, "/v1/agents", ModeGuest, s.listAgents},
		{http.MethodPost, "/v1/sessions/{sessionId}/updateAgent", ModeWrite, s.updateSessionAgent},
		{http.MethodGet, "/v1/agents/{agentId}", ModeGuest, s.getAgent},
	}
}

// match finds the operation of a request and the value of its path parameter. It does not use [http.ServeMux], which
// redirects paths with empty or dot segments and answers wrong methods with 405: the service knows neither answer.
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
