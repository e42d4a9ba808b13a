// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// limit decides whether a request is accepted. If it is not, wait is the time until the next one can be, or 0 if the
// limit sends none. The caller holds the server's lock.
type limit interface {
	admit(r *http.Request, now time.Time) (wait time.Duration, ok bool)
	release()
}

// WithTokenBucket accepts requests while there are tokens. The bucket contains burst tokens initially and at most, and
// receives perSecond tokens each second. Any other request is refused with 429, and with a Retry-After header in whole
// seconds if retryAfter is set.
func WithTokenBucket(perSecond float64, burst int, retryAfter bool) Option {
	return withLimit(retryAfter, func() limit {
		return &tokenBucket{perSecond: perSecond, burst: float64(burst), tokens: float64(burst)}
	})
}

// WithFixedWindow accepts count requests in each window of the given length; the first window begins with the first
// request. Any other request is refused with 429, and with a Retry-After header in whole seconds if retryAfter is set.
func WithFixedWindow(count int, length time.Duration, retryAfter bool) Option {
	return withLimit(retryAfter, func() limit { return &fixedWindow{count: count, length: length} })
}

// WithMaxInFlight refuses requests with 429 while the given number of requests is being served.
func WithMaxInFlight(most int) Option {
	return withLimit(false, func() limit { return &inFlight{most: most} })
}

// WithRandomRefusals refuses this share of the requests, from 0 to 1, with 429. Equal seeds refuse equal numbers in the
// order of arrival.
func WithRandomRefusals(share float64, seed uint64) Option {
	return withLimit(false, func() limit {
		return &randomRefusals{share: share, random: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // Not a secret.
	})
}

// WithRefusedOperation refuses every request of one operation with 429, permanently. The operation is written as in the
// section "Endpoints", such as "GET /v1/agents/{agentId}".
func WithRefusedOperation(operation string) Option {
	return func(c *config) {
		c.limits = append(c.limits, limitOption{make: func(s *Server) limit { return &refusedOperation{s, operation} }})
	}
}

// limitOption makes a limit for one server, so that servers with the same options don't share it.
type limitOption struct {
	make       func(*Server) limit
	retryAfter bool
}

func withLimit(retryAfter bool, newLimit func() limit) Option {
	return func(c *config) {
		c.limits = append(c.limits, limitOption{func(*Server) limit { return newLimit() }, retryAfter})
	}
}

// limits are the limits of one server, in the order of its options.
type limits struct {
	mu      sync.Mutex
	options []limitOption
	each    []limit
}

func newLimits(s *Server, options []limitOption) *limits {
	l := &limits{options: options}
	for _, option := range options {
		l.each = append(l.each, option.make(s))
	}
	return l
}

// admit applies every limit and returns a function that ends the request, or the refusal of the first limit that
// refuses it.
func (l *limits) admit(r *http.Request) (release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for i, limit := range l.each {
		wait, ok := limit.admit(r, now)
		if ok {
			continue
		}
		l.releaseFirst(i)
		refusal := &refusal{failure: failure{status: http.StatusTooManyRequests}}
		if l.options[i].retryAfter {
			refusal.retryAfter = int(math.Ceil(wait.Seconds()))
		}
		return func() {}, refusal
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.releaseFirst(len(l.each))
	}, nil
}

func (l *limits) releaseFirst(n int) {
	for _, limit := range l.each[:n] {
		limit.release()
	}
}

// refusal is a failure with a Retry-After time, in seconds.
type refusal struct {
	failure
	retryAfter int
}

func (r *refusal) Unwrap() error { return &r.failure }

// writeRefusal writes the response of a limit that refuses.
func writeRefusal(w http.ResponseWriter, err error) {
	var refused *refusal
	if errors.As(err, &refused) && refused.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(refused.retryAfter))
	}
	writeError(w, err)
}

type tokenBucket struct {
	perSecond, burst, tokens float64
	filled                   time.Time
}

func (b *tokenBucket) admit(_ *http.Request, now time.Time) (time.Duration, bool) {
	if !b.filled.IsZero() {
		b.tokens = min(b.burst, b.tokens+b.perSecond*now.Sub(b.filled).Seconds())
	}
	b.filled = now
	// The sum of parts of a token can be slightly less than 1.
	if missing := 1 - b.tokens; missing > 1e-9 {
		return time.Duration(missing / b.perSecond * float64(time.Second)), false
	}
	b.tokens--
	return 0, true
}

func (b *tokenBucket) release() {}

type fixedWindow struct {
	count, used int
	length      time.Duration
	begin       time.Time
}

func (w *fixedWindow) admit(_ *http.Request, now time.Time) (time.Duration, bool) {
	if w.begin.IsZero() {
		w.begin = now
	}
	if passed := now.Sub(w.begin); passed >= w.length {
		w.begin, w.used = now.Add(-passed%w.length), 0
	}
	if w.used >= w.count {
		return w.begin.Add(w.length).Sub(now), false
	}
	w.used++
	return 0, true
}

func (w *fixedWindow) release() {}

type inFlight struct{ most, now int }

func (f *inFlight) admit(*http.Request, time.Time) (time.Duration, bool) {
	if f.now >= f.most {
		return 0, false
	}
	f.now++
	return 0, true
}

func (f *inFlight) release() { f.now-- }

type randomRefusals struct {
	share  float64
	random *rand.Rand
}

func (r *randomRefusals) admit(*http.Request, time.Time) (time.Duration, bool) {
	return 0, r.random.Float64() >= r.share
}

func (r *randomRefusals) release() {}

type refusedOperation struct {
	server    *Server
	operation string
}

func (o *refusedOperation) admit(r *http.Request, _ time.Time) (time.Duration, bool) {
	op, _, found := o.server.match(r.Method, r.URL.EscapedPath())
	return 0, !found || op.method+" "+op.path != o.operation
}

func (o *refusedOperation) release() {}
