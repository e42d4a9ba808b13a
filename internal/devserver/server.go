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
	"net"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"
)

// maxBodyBytes is the largest request body that an operation accepts; the API documents no payload sizes.
const maxBodyBytes = 1 << 20

// Server is the development server. Its routes begin at /v1/; mount it below a prefix with [http.StripPrefix]. Each
// Server has its own state and is safe for concurrent use. Make one with [New].
type Server struct {
	mux             *http.ServeMux
	periodParameter string
	latency         time.Duration
	faults          []func(*http.Request) http.Handler
	limits          []limit
	behaviors       []Behavior
	missing         []string
	recording       bool

	mu       sync.Mutex
	seed     Seed
	agents   map[string]Agent
	sessions map[string]Session
	reads    int // of workspaces
	inFlight int // requests that the limits have accepted
	requests []Request
}

var _ http.Handler = (*Server)(nil)

// New returns a server that starts with the seed of [WithSeed], or with [DefaultSeed].
func New(opts ...Option) *Server {
	s := &Server{mux: http.NewServeMux(), periodParameter: "timeFilter"}
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
	sessions := make(map[string]Session, len(seed.Sessions))
	for _, session := range seed.Sessions {
		sessions[session.ID] = session
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed, s.agents, s.sessions = seed, agents, sessions
}

// Start serves on a free loopback port until stop is called. It returns the base URL for a client, which ends in the
// prefix /api.
func (s *Server) Start(ctx context.Context) (baseURL string, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: http.StripPrefix("/api", s), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String() + "/api", func() { _ = server.Close() }, nil
}

// ServeHTTP serves one request. The order is fixed: recording, limits, latency, faults, and then 401, 403, 400 and 404.
// If the request's context ends during the latency, the response is a 500, which the disconnected client does not
// receive.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// An incomplete body is not a JSON document, so an operation that requires one rejects it.
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBodyBytes+1))
	r = r.WithContext(r.Context()) // a copy, because the request is not the handler's to change
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.record(r, body)

	refusal := s.accept()
	if refusal == nil {
		defer s.release()
	}
	if err := pause(r.Context(), s.latency); err != nil {
		s.writeError(w, err)
		return
	}
	if refusal != nil {
		s.writeError(w, refusal)
		return
	}
	for _, fault := range s.faults {
		if handler := fault(r); handler != nil {
			handler.ServeHTTP(w, r)
			return
		}
	}
	// The mux would redirect a path with empty or dot segments, which the API does not document.
	if escaped := r.URL.EscapedPath(); path.Clean(escaped) != escaped {
		s.handler(unknownOperation)(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// handler serves an operation.
func (s *Server) handler(op operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		response, err := s.respond(op, r)
		if err == nil && len(s.missing) > 0 {
			response, err = s.withoutMissing(response)
		}
		if err != nil {
			s.writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, response)
	}
}

// respond returns the value of a 200 body, or an error.
func (s *Server) respond(op operation, r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	caller, known := s.authenticate(r.Header)
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

// dispatch calls the function of an operation. An operation without one returns a document of the workspace.
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
