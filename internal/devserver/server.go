// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package devserver is the development server: an [http.Handler] that implements the whole API with an in-memory seed.
//
// It replaces the real service in tests and local trials, so it shares no code and no types with the client: otherwise,
// tests could not find mistakes that both sides share. Where the API does not document some behavior, the operation that
// implements it documents the choice.
package devserver

import (
	"log/slog"
	"net/http"
	"time"
)

// route is an operation of the API, as it is served.
type route struct {
	name    string // a key of [Seed.Failures]
	pattern string // of [http.ServeMux]
	needs   Mode   // the least access of a caller. The API does not document it.
	serve   operation
}

// operation returns the value of a 200 body, or an error.
type operation func(*Server, Caller, *http.Request) (any, *failure)

// The API does not document the effect of the parameter getDefault: here it has none.
var routes = []route{
	{"getWorkspace", "GET /v1/workspaces/{workspaceId}", ModeRead, document("workspace")},
	{"listMembers", "GET /v1/workspaces/{workspaceId}/members", ModeRead, document("members")},
	{"listAgents", "GET /v1/agents", ModeGuest, (*Server).listAgents},
	{"getAgent", "GET /v1/agents/{agentId}", ModeGuest, (*Server).getAgent},
	{"getAgentStats", "GET /v1/agents/{agentId}/analytics/stats", ModeGuest, (*Server).getAgentStats},
	{"updateSessionAgent", "POST /v1/sessions/{sessionId}/updateAgent", ModeWrite, (*Server).updateSessionAgent},
}

// Server is the development server. Its routes begin at /v1/; mount it below a prefix with [http.StripPrefix]. Of several
// errors, it returns the first of 401, 403, 404 and 400. It is safe for concurrent use. Make one with [New].
type Server struct {
	http.ServeMux

	// Logger gets a line for each request, without headers and the query, which can contain secrets, and one for each
	// session update, because no response contains the agent of a session.
	Logger *slog.Logger
	// Latency is the time that each request takes, as if the server were remote.
	Latency time.Duration

	seed   Seed
	agents map[string]Agent // of the seed, by ID
}

// New returns a server of the given data, such as [DefaultSeed]. It never changes the seed, so that one seed can serve
// many servers; its owner must not change it either.
func New(seed Seed) *Server {
	s := &Server{
		Logger: slog.New(slog.DiscardHandler),
		seed:   seed,
		agents: make(map[string]Agent, len(seed.Agents)),
	}
	for _, agent := range seed.Agents {
		s.agents[agent.ID] = agent
	}
	for _, entry := range routes {
		s.Handle(entry.pattern, s.handler(entry))
	}
	return s
}

// handler serves a route.
func (s *Server) handler(entry route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(s.Latency)
		response, failed := s.respond(entry, r)
		status := http.StatusOK
		if failed != nil {
			status = failed.status
			ErrorHandler(status, failed.issues...).ServeHTTP(w, r)
		} else {
			writeJSON(w, status, response)
		}
		s.Logger.InfoContext(r.Context(), "request", "method", r.Method, "path", r.URL.EscapedPath(), "status", status)
	})
}

// respond returns the value of a 200 body, or an error.
func (s *Server) respond(entry route, r *http.Request) (any, *failure) {
	caller, known := s.authenticate(r)
	switch {
	case !known:
		return nil, &failure{status: http.StatusUnauthorized}
	case !caller.Mode.allows(entry.needs):
		return nil, &failure{status: http.StatusForbidden}
	}
	for _, name := range []string{entry.name, r.PathValue("agentId"), r.PathValue("sessionId")} {
		if status, ok := s.seed.Failures[name]; ok {
			return nil, &failure{status: status}
		}
	}
	return entry.serve(s, caller, r)
}
