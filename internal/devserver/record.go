// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"bytes"
	"net/http"
	"time"
)

// Request is one request as it arrived, whatever it was answered with.
type Request struct {
	Time     time.Time   // by the clock of the server
	Method   string      // such as GET
	Path     string      // below the prefix the server is mounted at, escaped as it was on the wire
	RawQuery string      // without the question mark, as it was on the wire
	Header   http.Header // all of them, the Authorization header with its token included
	Body     []byte      // at most 1 MiB and one byte of it; nil when there is none
}

// Requests returns every request that arrived so far, in the order of arrival. The result is a deep copy.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()

	requests := make([]Request, len(s.requests))
	for i, request := range s.requests {
		request.Header = request.Header.Clone()
		request.Body = bytes.Clone(request.Body)
		requests[i] = request
	}
	return requests
}

func (s *Server) record(r *http.Request, body []byte) {
	request := Request{
		Time:     s.clock(),
		Method:   r.Method,
		Path:     r.URL.EscapedPath(),
		RawQuery: r.URL.RawQuery,
		Header:   r.Header.Clone(),
	}
	if len(body) > 0 {
		request.Body = bytes.Clone(body)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
}
