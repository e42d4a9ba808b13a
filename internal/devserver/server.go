// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package devserver is the development server: an [http.Handler] that implements the whole API with an in-memory seed.
//
// It replaces the real service in tests and local trials, so it shares no code and no types with the client: otherwise,
// tests could not find mistakes that both sides share. Its routes are the operations of openapi.yaml. Where the API does
// not document some behavior, the option or operation that implements it documents the choice.
package devserver

import (
	"net/http"
	"path"
	"sync"
	"sync/atomic"
	"time"
)

// Server is the development server. Its routes begin at /v1/; mount it below a prefix with [http.StripPrefix]. Each
// Server has its own state and is safe for concurrent use. Make one with [New].
type Server struct {
	mux       *http.ServeMux
	faults    []func(*http.Request) http.Handler
	slots     chan struct{} // contains the requests in flight; nil without a limit
	latency   time.Duration
	behaviors []Behavior
	missing   []string
	reads     atomic.Int64 // of workspaces

	mu     sync.RWMutex
	seed   Seed
	agents map[string]Agent // of the seed, by ID
}

var _ http.Handler = (*Server)(nil)

// Option configures a [Server].
type Option func(*Server)

// WithSeed sets the data that the server starts with, as [Server.SetSeed] does later. The default is [DefaultSeed].
func WithSeed(seed Seed) Option {
	return func(s *Server) { s.SetSeed(seed) }
}

// New returns a server that starts with the seed of [WithSeed], or with [DefaultSeed].
func New(opts ...Option) *Server {
	s := &Server{mux: http.NewServeMux()}
	for _, opt := range opts {
		opt(s)
	}
	if s.agents == nil {
		s.SetSeed(DefaultSeed())
	}
	for _, op := range operations() {
		s.mux.Handle(op.method+" "+op.path, s.handler(op))
	}
	s.mux.Handle("/", s.handler(unknownOperation))
	return s
}

// SetSeed replaces all data, so that a change of the data can be seen and tested while the server runs. The server never
// changes the seed, so that one seed can serve many servers; its owner must not change it either.
func (s *Server) SetSeed(seed Seed) {
	agents := make(map[string]Agent, len(seed.Agents))
	for _, agent := range seed.Agents {
		agents[agent.ID] = agent
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed, s.agents = seed, agents
}

// ServeHTTP serves one request. The order is fixed: faults and limits, the latency, and then 401, 403, 400 and 404.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, release := s.accept(r)
	defer release()
	if s.latency > 0 {
		select {
		case <-time.After(s.latency):
		case <-r.Context().Done():
		}
	}
	handler.ServeHTTP(w, r)
}

// route returns the handler of the request's operation.
func (s *Server) route(r *http.Request) http.Handler {
	// The mux would redirect a path with empty or dot segments, which the API does not document.
	if escaped := r.URL.EscapedPath(); path.Clean(escaped) != escaped {
		return s.handler(unknownOperation)
	}
	return s.mux
}

// handler serves an operation.
func (s *Server) handler(op operation) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.RLock()
		defer s.mu.RUnlock()
		response, err := s.respond(op, r)
		if err == nil && len(s.missing) > 0 {
			response, err = s.withoutMissing(response)
		}
		if err != nil {
			s.writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, response)
	})
}

// respond returns the value of a 200 body, or an error.
func (s *Server) respond(op operation, r *http.Request) (any, error) {
	caller, known := s.authenticate(r)
	switch {
	case known && caller.Mode.allows(op.needs):
		return s.dispatch(op, caller, r)
	case s.has(HiddenObjects):
		return hide(op)
	case !known:
		return nil, &failure{status: http.StatusUnauthorized}
	default:
		return nil, &failure{status: http.StatusForbidden}
	}
}

// dispatch calls the function of an operation.
func (s *Server) dispatch(op operation, caller Caller, r *http.Request) (any, error) {
	switch op.id {
	case "getWorkspace":
		return s.getWorkspace(caller, r)
	case "listAgents":
		return s.listAgents(caller, r)
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
