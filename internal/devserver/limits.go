// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"math"
	"math/rand/v2"
	"net/http"
	"time"
)

// limit returns an error if it refuses a request at this time. It is used under the server's lock.
type limit func(now time.Time) error

// accept applies every limit, and returns the error of the first one that refuses the request. If there is none, the
// request is in flight until release.
func (s *Server) accept() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, limit := range s.limits {
		if err := limit(time.Now()); err != nil {
			return err
		}
	}
	s.inFlight++
	return nil
}

func (s *Server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
}

// tooManyRequests is a refusal, with a Retry-After header in whole seconds if retryAfter is set.
func tooManyRequests(wait time.Duration, retryAfter bool) error {
	refusal := &failure{status: http.StatusTooManyRequests}
	if retryAfter {
		refusal.retryAfter = int(math.Ceil(wait.Seconds()))
	}
	return refusal
}

// WithTokenBucket accepts requests while there are tokens. The bucket contains burst tokens initially and at most, and
// receives perSecond tokens each second. Any other request is refused with 429, and with a Retry-After header in whole
// seconds if retryAfter is set.
func WithTokenBucket(perSecond float64, burst int, retryAfter bool) Option {
	return func(s *Server) {
		tokens := float64(burst)
		var filled time.Time
		s.limits = append(s.limits, func(now time.Time) error {
			if !filled.IsZero() {
				tokens = min(float64(burst), tokens+perSecond*now.Sub(filled).Seconds())
			}
			filled = now
			// The sum of parts of a token can be slightly less than 1.
			if missing := 1 - tokens; missing > 1e-9 {
				return tooManyRequests(time.Duration(missing/perSecond*float64(time.Second)), retryAfter)
			}
			tokens--
			return nil
		})
	}
}

// WithFixedWindow accepts count requests in each window of the given length; the first window begins with the first
// request. Any other request is refused with 429, and with a Retry-After header in whole seconds if retryAfter is set.
func WithFixedWindow(count int, length time.Duration, retryAfter bool) Option {
	return func(s *Server) {
		used := 0
		var begin time.Time
		s.limits = append(s.limits, func(now time.Time) error {
			if begin.IsZero() {
				begin = now
			}
			if passed := now.Sub(begin); passed >= length {
				begin, used = now.Add(-passed%length), 0
			}
			if used >= count {
				return tooManyRequests(begin.Add(length).Sub(now), retryAfter)
			}
			used++
			return nil
		})
	}
}

// WithMaxInFlight refuses requests with 429 while the given number of requests is being served.
func WithMaxInFlight(most int) Option {
	return func(s *Server) {
		s.limits = append(s.limits, func(time.Time) error {
			if s.inFlight >= most {
				return tooManyRequests(0, false)
			}
			return nil
		})
	}
}

// WithRandomRefusals refuses this share of the requests, from 0 to 1, with 429. Equal seeds refuse equal numbers in the
// order of arrival.
func WithRandomRefusals(share float64, seed uint64) Option {
	return func(s *Server) {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // Not a secret.
		s.limits = append(s.limits, func(time.Time) error {
			if random.Float64() < share {
				return tooManyRequests(0, false)
			}
			return nil
		})
	}
}
