// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// limit decides whether a request is accepted. It is used under a lock.
type limit struct {
	// accept returns the time until the next request can be accepted, if it refuses this one because of the time.
	accept func(r *http.Request, now time.Time) (wait time.Duration, ok bool)
	// release, if not nil, is called when an accepted request ends.
	release    func()
	retryAfter bool
}

// WithTokenBucket accepts requests while there are tokens. The bucket contains burst tokens initially and at most, and
// receives perSecond tokens each second. Any other request is refused with 429, and with a Retry-After header in whole
// seconds if retryAfter is set.
func WithTokenBucket(perSecond float64, burst int, retryAfter bool) Option {
	return withLimit(func(*Server) limit {
		tokens := float64(burst)
		var filled time.Time
		return limit{retryAfter: retryAfter, accept: func(_ *http.Request, now time.Time) (time.Duration, bool) {
			if !filled.IsZero() {
				tokens = min(float64(burst), tokens+perSecond*now.Sub(filled).Seconds())
			}
			filled = now
			// The sum of parts of a token can be slightly less than 1.
			if missing := 1 - tokens; missing > 1e-9 {
				return time.Duration(missing / perSecond * float64(time.Second)), false
			}
			tokens--
			return 0, true
		}}
	})
}

// WithFixedWindow accepts count requests in each window of the given length; the first window begins with the first
// request. Any other request is refused with 429, and with a Retry-After header in whole seconds if retryAfter is set.
func WithFixedWindow(count int, length time.Duration, retryAfter bool) Option {
	return withLimit(func(*Server) limit {
		used := 0
		var begin time.Time
		return limit{retryAfter: retryAfter, accept: func(_ *http.Request, now time.Time) (time.Duration, bool) {
			if begin.IsZero() {
				begin = now
			}
			if passed := now.Sub(begin); passed >= length {
				begin, used = now.Add(-passed%length), 0
			}
			if used >= count {
				return begin.Add(length).Sub(now), false
			}
			used++
			return 0, true
		}}
	})
}

// WithMaxInFlight refuses requests with 429 while the given number of requests is being served.
func WithMaxInFlight(most int) Option {
	return withLimit(func(*Server) limit {
		inFlight := 0
		return limit{
			accept: func(*http.Request, time.Time) (time.Duration, bool) {
				if inFlight >= most {
					return 0, false
				}
				inFlight++
				return 0, true
			},
			release: func() { inFlight-- },
		}
	})
}

// WithRandomRefusals refuses this share of the requests, from 0 to 1, with 429. Equal seeds refuse equal numbers in the
// order of arrival.
func WithRandomRefusals(share float64, seed uint64) Option {
	return withLimit(func(*Server) limit {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // Not a secret.
		return limit{accept: func(*http.Request, time.Time) (time.Duration, bool) {
			return 0, random.Float64() >= share
		}}
	})
}

// WithRefusedOperation refuses every request of one operation with 429, permanently. The operation is written as in the
// section "Endpoints", such as "GET /v1/agents/{agentId}".
func WithRefusedOperation(operation string) Option {
	return withLimit(func(s *Server) limit {
		return limit{accept: func(r *http.Request, _ time.Time) (time.Duration, bool) {
			op, _, found := s.match(r.Method, r.URL.EscapedPath())
			return 0, !found || op.method+" "+op.path != operation
		}}
	})
}

// withLimit makes a limit for each server, so that servers with the same options don't share it.
func withLimit(newLimit func(*Server) limit) Option {
	return func(c *config) { c.limits = append(c.limits, newLimit) }
}

// limiter has the limits of one server, in the order of its options.
type limiter struct {
	mu     sync.Mutex
	limits []limit
}

func newLimiter(s *Server) *limiter {
	l := &limiter{}
	for _, newLimit := range s.limits {
		l.limits = append(l.limits, newLimit(s))
	}
	return l
}

// accept applies every limit and returns a function that ends the request, or the refusal of the first limit that
// refuses it.
func (l *limiter) accept(r *http.Request) (release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for i, next := range l.limits {
		wait, ok := next.accept(r, now)
		if ok {
			continue
		}
		l.releaseFirst(i)
		refusal := &failure{status: http.StatusTooManyRequests}
		if next.retryAfter {
			refusal.retryAfter = int(math.Ceil(wait.Seconds()))
		}
		return func() {}, refusal
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.releaseFirst(len(l.limits))
	}, nil
}

func (l *limiter) releaseFirst(n int) {
	for _, accepting := range l.limits[:n] {
		if accepting.release != nil {
			accepting.release()
		}
	}
}
