// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"bytes"
	"net/http"
	"time"
)

// Request is one received request, whatever the response was.
type Request struct {
	Time     time.Time   // by the server's clock
	Method   string      // such as GET
	Path     string      // below the prefix that the server is mounted at, escaped as sent
	RawQuery string      // without the question mark, as sent
	Header   http.Header // all of them, including Authorization with its token
	Body     []byte      // at most its first 1 MiB and one byte; nil when there is none
}

// Requests returns every request so far, in the order of arrival, if the service was made with [WithRecording]. The
// result is a deep copy.
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
	if !s.recording {
		return
	}
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
