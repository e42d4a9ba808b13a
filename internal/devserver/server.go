// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package devserver is the reference service: an [http.Handler] that implements the whole API with an in-memory seed.
//
// It replaces the real service in tests and local trials, so it shares no code and no types with the client: otherwise,
// tests could not find mistakes that both sides share. Where the API does not document some behavior, the option or
// operation that implements it documents the choice.
package devserver

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// maxBodyBytes is the largest request body that an operation accepts; the API documents no payload sizes.
const maxBodyBytes = 1 << 20

// Server is the reference service. Its routes begin at /v1/; mount it below a prefix with [http.StripPrefix]. Each
// Server has its own state and is safe for concurrent use. Make one with [New].
type Server struct {
	config
	operations []operation
	limiter    *limits

	mu         sync.Mutex
	workspaces []Workspace
	agents     map[string]Agent
	agentIDs   []string // in the order of the seed, which is the order of the list
	sessions   map[string]Session
	requests   []Request
}

var _ http.Handler = (*Server)(nil)

// New returns a service that starts with the seed of [WithSeed], or with [DefaultSeed].
func New(opts ...Option) *Server {
	s := &Server{config: newConfig(opts)}
	s.operations = s.describeOperations()
	s.workspaces = slices.Clone(s.seed.Workspaces)
	s.limiter = newLimits(s, s.limits)

	s.agents = make(map[string]Agent, len(s.seed.Agents))
	s.agentIDs = make([]string, 0, len(s.seed.Agents))
	for _, agent := range s.seed.Agents {
		s.agents[agent.ID] = agent
		s.agentIDs = append(s.agentIDs, agent.ID)
	}

	s.sessions = make(map[string]Session, len(s.seed.Sessions))
	for _, session := range s.seed.Sessions {
		s.sessions[session.ID] = session
	}
	return s
}

// ServeHTTP serves one request. The order is fixed: recording, limits, latency, faults, and then 401, 403, 400 and 404.
// If the request's context ends during the latency, the response is a 500, which the disconnected client does not
// receive.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// An incomplete body is not a JSON document, so an operation that requires one rejects it.
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBodyBytes+1))
	s.record(r, body)

	release, refused := s.limiter.admit(r)
	defer release()
	if err := pause(r.Context(), s.latency); err != nil {
		writeError(w, err)
		return
	}
	if refused != nil {
		writeRefusal(w, refused)
		return
	}

	replay := r.WithContext(r.Context())
	replay.Body = io.NopCloser(bytes.NewReader(body))
	for _, fault := range s.faults {
		if handler := fault(replay); handler != nil {
			handler.ServeHTTP(w, replay)
			return
		}
	}

	value, err := s.respond(r, body)
	if err != nil {
		writeError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, value)
}

// respond returns the value of a 200 body, or an error.
func (s *Server) respond(r *http.Request, body []byte) (any, error) {
	caller, ok := s.authenticate(r.Header)
	if !ok {
		return nil, &failure{status: http.StatusUnauthorized}
	}

	op, id, found := s.match(r.Method, r.URL.EscapedPath())
	if !caller.Mode.allows(op.needs) {
		return nil, &failure{status: http.StatusForbidden}
	}
	if !found {
		return nil, &failure{status: http.StatusNotFound}
	}
	return op.serve(call{caller: caller, id: id, rawQuery: r.URL.RawQuery, body: body})
}

// pause waits for d. If the context ends before that, it returns the context's error.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
