// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"net/http"
	"time"
)

// Option configures a [Server].
type Option func(*Server)

// WithSeed sets the data that the server starts with, as [Server.SetSeed] does later. The default is [DefaultSeed].
func WithSeed(seed Seed) Option {
	return func(s *Server) { s.SetSeed(seed) }
}

// WithLatency makes the server wait before every response, faults included. The wait ends early with the request's
// context.
func WithLatency(latency time.Duration) Option {
	return func(s *Server) { s.latency = latency }
}

// WithFault makes the server call fault for each request, after recording it and before authentication. A handler
// that is not nil then responds instead of the server. With several faults, the first handler responds. The function
// must be safe for concurrent use and not read the body; [ErrorHandler] returns a handler for the common case.
func WithFault(fault func(*http.Request) http.Handler) Option {
	return func(s *Server) { s.faults = append(s.faults, fault) }
}

// WithRecording makes the server keep every request for [Server.Requests]. It is for tests: the memory that requests
// take grows without a limit.
func WithRecording() Option {
	return func(s *Server) { s.recording = true }
}

// WithStatsPeriodParameter sets the name of the query parameter that selects the period in "Get agent statistics". The
// API does not document the name; the default is "timeFilter".
func WithStatsPeriodParameter(name string) Option {
	return func(s *Server) { s.periodParameter = name }
}
