// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// WithLatency makes the server wait before every response. The wait ends early with the request's context.
func WithLatency(latency time.Duration) Option {
	return func(s *Server) { s.latency = latency }
}

// WithFault makes the server call fault for each request, before authentication. A handler that is not nil then responds
// instead of the server. With several faults and rate limits, the first handler responds. The function must be safe for
// concurrent use and not read the body; [ErrorHandler] returns a handler for the common case.
func WithFault(fault func(*http.Request) http.Handler) Option {
	return func(s *Server) { s.faults = append(s.faults, fault) }
}

// WithTokenBucket accepts requests while there are tokens. The bucket contains burst tokens initially and at most, and
// receives perSecond tokens each second. Any other request is refused with 429, and with a Retry-After header in whole
// seconds if retryAfter is set.
func WithTokenBucket(perSecond float64, burst int, retryAfter bool) Option {
	return func(s *Server) {
		var mu sync.Mutex
		tokens, filled := float64(burst), time.Now()
		s.faults = append(s.faults, func(*http.Request) http.Handler {
			mu.Lock()
			defer mu.Unlock()
			now := time.Now()
			tokens = min(float64(burst), tokens+perSecond*now.Sub(filled).Seconds())
			filled = now
			// The sum of parts of a token can be slightly less than 1.
			if missing := 1 - tokens; missing > 1e-9 {
				return tooManyRequests(missing/perSecond, retryAfter)
			}
			tokens--
			return nil
		})
	}
}

// tooManyRequests refuses a request.
func tooManyRequests(seconds float64, retryAfter bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if retryAfter {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(seconds))))
		}
		ErrorHandler(http.StatusTooManyRequests).ServeHTTP(w, r)
	})
}

// WithMaxInFlight refuses requests with 429 while the given number of requests is being served.
func WithMaxInFlight(most int) Option {
	return func(s *Server) { s.slots = make(chan struct{}, most) }
}

// accept returns the handler that responds to a request, and a function to call after that.
func (s *Server) accept(r *http.Request) (handler http.Handler, release func()) {
	for _, fault := range s.faults {
		if handler := fault(r); handler != nil {
			return handler, func() {}
		}
	}
	if s.slots == nil {
		return s.route(r), func() {}
	}
	select {
	case s.slots <- struct{}{}:
		return s.route(r), func() { <-s.slots }
	default:
		return tooManyRequests(0, false), func() {}
	}
}
