// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package devserver is the development server: an [http.Handler] that implements the whole API with an in-memory seed.
//
// It replaces the real service in tests and local trials, so it shares no code and no types with the client: otherwise,
// tests could not find mistakes that both sides share. Its routes are the operations of openapi.yaml. Where the API does
// not document some behavior, the option or operation that implements it documents the choice.
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

// Server is the development server. Its routes begin at /v1/; mount it below a prefix with [http.StripPrefix]. Each
// Server has its own state and is safe for concurrent use. Make one with [New].
type Server struct {
	config
	operations []operation
	limiter    *limiter

	mu       sync.Mutex
	seed     Seed
	agents   map[string]Agent
	sessions map[string]Session
	reads    int // of workspaces
	requests []Request
}

var _ http.Handler = (*Server)(nil)

// New returns a server that starts with the seed of [WithSeed], or with [DefaultSeed].
func New(opts ...Option) *Server {
	s := &Server{config: newConfig(opts)}
	s.operations = s.describedOperations()
	s.limiter = newLimiter(s)
	s.SetSeed(*s.initial)
	return s
}

// SetSeed replaces all data, so that a change of the data can be seen and tested while the server runs. The server never
// changes the seed, so that one seed can serve many servers; its owner must not change it either.
func (s *Server) SetSeed(seed Seed) {
	agents := make(map[string]Agent, len(seed.Agents))
	for _, agent := range seed.Agents {
		agents[agent.ID] = agent
	}
	sessions := make(map[string]Session, len(seed.Sessions))
	for _, session := range seed.Sessions {
		sessions[session.ID] = session
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed, s.agents, s.sessions = seed, agents, sessions
}

// Request is one received request, whatever the response was.
type Request struct {
	Method   string      // such as GET
	Path     string      // below the prefix that the server is mounted at, escaped as sent
	RawQuery string      // without the question mark, as sent
	Header   http.Header // all of them, including Authorization with its token
	Body     []byte      // at most its first 1 MiB and one byte; nil when there is none
}

// Requests returns every request so far, in the order of arrival, if the server was made with [WithRecording].
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) record(r *http.Request, body []byte) {
	if !s.recording {
		return
	}
	request := Request{Method: r.Method, Path: r.URL.EscapedPath(), RawQuery: r.URL.RawQuery, Header: r.Header.Clone()}
	if len(body) > 0 {
		request.Body = body
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
}

// ServeHTTP serves one request. The order is fixed: recording, limits, latency, faults, and then 401, 403, 400 and 404.
// If the request's context ends during the latency, the response is a 500, which the disconnected client does not
// receive.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// An incomplete body is not a JSON document, so an operation that requires one rejects it.
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBodyBytes+1))
	s.record(r, body)

	release, refused := s.limiter.accept(r)
	defer release()
	if err := pause(r.Context(), s.latency); err != nil {
		s.writeError(w, err)
		return
	}
	if refused != nil {
		s.writeError(w, refused)
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
	if err == nil && len(s.missing) > 0 {
		value, err = s.withoutMissing(value)
	}
	if err != nil {
		s.writeError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, value)
}

// respond returns the value of a 200 body, or an error.
func (s *Server) respond(r *http.Request, body []byte) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	caller, known := s.authenticate(r.Header)
	op, id, found := s.match(r.Method, r.URL.EscapedPath())
	allowed := known && caller.Mode.allows(op.needs)
	switch {
	case !allowed && s.has(HiddenObjects):
		return hide(op)
	case !known:
		return nil, &failure{status: http.StatusUnauthorized}
	case !allowed:
		return nil, &failure{status: http.StatusForbidden}
	case !found:
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
