// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package devserver is the development server: an [http.Handler] that implements the whole API with an in-memory seed.
//
// It replaces the real service in tests and local trials, so it shares no code and no types with the client: otherwise,
// tests could not find mistakes that both sides share. Its routes are the operations of openapi.yaml. Where the API does
// not document some behavior, the operation that implements it documents the choice.
package devserver

import (
	"net/http"
	"path"
)

// Server is the development server. Its routes begin at /v1/; mount it below a prefix with [http.StripPrefix]. It is safe
// for concurrent use. Make one with [New].
type Server struct {
	mux    *http.ServeMux
	seed   Seed
	agents map[string]Agent // of the seed, by ID
}

var _ http.Handler = (*Server)(nil)

// New returns a server of the given data, such as [DefaultSeed]. It never changes the seed, so that one seed can serve
// many servers; its owner must not change it either.
func New(seed Seed) *Server {
	s := &Server{mux: http.NewServeMux(), seed: seed, agents: make(map[string]Agent, len(seed.Agents))}
	for _, agent := range seed.Agents {
		s.agents[agent.ID] = agent
	}
	for _, op := range operations() {
		s.mux.Handle(op.method+" "+op.path, s.handler(op))
	}
	s.mux.Handle("/", s.handler(unknownOperation))
	return s
}

// ServeHTTP serves one request. Of several errors, it returns the first of 401, 403, 400 and 404.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The mux would redirect a path with empty or dot segments, which the API does not document.
	if escaped := r.URL.EscapedPath(); path.Clean(escaped) != escaped {
		s.handler(unknownOperation).ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// handler serves an operation.
func (s *Server) handler(op operation) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		response, err := s.respond(op, r)
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, response)
	})
}

// respond returns the value of a 200 body, or an error.
func (s *Server) respond(op operation, r *http.Request) (any, error) {
	caller, known := s.authenticate(r)
	switch {
	case !known:
		return nil, &failure{status: http.StatusUnauthorized}
	case !caller.Mode.allows(op.needs):
		return nil, &failure{status: http.StatusForbidden}
	default:
		return s.dispatch(op, caller, r)
	}
}

// dispatch calls the function of an operation.
func (s *Server) dispatch(op operation, caller Caller, r *http.Request) (any, error) {
	switch op.id {
	case "getWorkspace":
		return s.getWorkspace(caller, r)
	case "listAgents":
		return s.listAgents(caller)
	case "getAgent":
		return s.getAgent(caller, r)
	case "getAgentStats":
		return s.getAgentStats(r)
	case "updateSessionAgent":
		return s.updateSessionAgent(r)
	default:
		return s.getDocument(op, caller, r)
	}
}
