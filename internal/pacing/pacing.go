// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package pacing decides when requests are sent, and whether and when they are
// retried. It knows the outcomes of requests, but neither HTTP nor any API.
//
// A request acquires permission before each attempt, and releases it with the
// attempt's outcome. Requests are sent in the order in which they are ready:
//
//   - The limiter (limiter.go) learns how many requests the service admits at once.
//   - Before a retry, a request waits for a random time whose bound doubles with each
//     attempt (exponential backoff with full jitter), and at least for the time that
//     the service requires.
//   - While the service is unavailable, requests wait longer, so that their retries outlast
//     a restart.
//   - A throttled attempt counts as a retry only if the service throttles all requests.
//     If it admits others, all of them together exceed a limit.
//
// A service can throttle one object permanently, which shows nothing about the
// others. But if it throttles a whole operation, a circuit breaker ends the retries of that
// operation, so that others are not slowed down.
package pacing

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// LongestWait is the longest wait before a retry that a service can require. A
// request that would have to wait longer is not retried.
const LongestWait = time.Minute

const (
	maxBackoff     = 30 * time.Second             // longest wait before a retry, unless the service requires more
	limitedDivisor = 8                            // shortens this wait if the limiter also delays the retry
	untilReleased  = time.Duration(math.MaxInt64) // wait for the release of another request
	// maxThrottled is the time for which a request can be throttled, and the time
	// without admitted requests after which throttled attempts count as retries. Most
	// limits apply to a minute or less.
	maxThrottled = 100 * time.Second
	// catchUp is the longest delay after which requests are sent faster than the
	// configured rate, so that they reach it on average.
	catchUp = time.Second
)

// Config configures a Pacer.
type Config struct {
	MaxInFlight  int           // maximum number of requests in flight
	MaxPerSecond float64       // maximum rate of requests, including retries; 0 means that only the service limits it
	MaxRetries   int           // maximum number of retries of a request
	RetryWait    time.Duration // upper bound of the random wait before the first retry, which doubles with each further one
}

// Request is one request with all its attempts.
type Request struct {
	// Operation identifies requests that a service limits together.
	Operation string

	ready       time.Time // the earliest time of the next attempt
	sent        time.Time // when the last attempt was sent
	throttledAt time.Time // when an attempt was first throttled
	attempts    int       // attempts so far
	retries     int       // those that count against the maximum
}

// Outcome is what an attempt shows about the service's limits.
type Outcome int

// The outcomes.
const (
	Failed       Outcome = iota // nothing: the service failed, perhaps only for this request
	Disconnected                // nothing: there was no response
	Unavailable                 // nothing: a gateway, or the service, reports that the service is unavailable
	Admitted                    // the request was within the limits, whatever its result
	Throttled                   // the request exceeded a limit
)

// Result is the result of an attempt.
type Result struct {
	Outcome    Outcome
	Retryable  bool          // the request can be sent again
	RetryAfter time.Duration // shortest wait before a retry that the service permits, or 0
}

// Pacer decides when requests are sent, and which are retried. It is safe for
// concurrent use.
type Pacer struct {
	config Config
	// breakerLimit is the number of requests of an operation that are throttled until their
	// last attempt, none admitted meanwhile, after which throttled requests of the operation
	// are not retried, and do not slow others down.
	breakerLimit int
	interval     time.Duration // between requests at the configured rate
	next         chan struct{} // contains a value while a request is the next one
	released     chan struct{} // tells that request that another one was released

	mu         sync.Mutex
	limiter    limiter
	throttled  map[string]int // requests for the circuit breaker, by operation
	inFlight   int
	lastDue    time.Time // when the last request was due at the configured rate
	lastSent   time.Time
	admittedAt time.Time // when a request was last admitted
}

// New returns a pacer.
func New(config Config) *Pacer {
	p := &Pacer{
		config:    config,
		next:      make(chan struct{}, 1),
		released:  make(chan struct{}, 1),
		limiter:   newLimiter(config.MaxInFlight),
		throttled: map[string]int{},

		breakerLimit: 3,
	}
	if config.MaxRetries == 0 {
		// A single attempt shows less. While a limit is exhausted, it can throttle those in
		// flight, and then one for each gap.
		p.breakerLimit = config.MaxInFlight + int(maxThrottled/maxGap)
	}
	if config.MaxPerSecond > 0 {
		p.interval = time.Duration(float64(time.Second) / config.MaxPerSecond)
	}
	return p
}

// Acquire waits until the request can be sent, or returns the context's error.
// Each acquired request must be released.
func (p *Pacer) Acquire(ctx context.Context, r *Request) error {
	pause(ctx, time.Until(r.ready), nil)
	r.ready = time.Now()
	select {
	case p.next <- struct{}{}: // A channel serves waiting goroutines in their order.
		defer func() { <-p.next }()
	case <-ctx.Done():
	}
	for ctx.Err() == nil {
		wait := p.tryAcquire(r)
		if wait == 0 {
			return nil
		}
		pause(ctx, wait, p.released)
	}
	return ctx.Err()
}

// tryAcquire counts the request as sent and returns 0, or returns the wait before
// that. The wait can end earlier, when another request is released.
func (p *Pacer) tryAcquire(r *Request) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inFlight >= p.limiter.maxInFlight() {
		return untilReleased
	}
	now := time.Now()
	// A request that is sent late does not delay the next ones, up to catchUp.
	due := latest(
		p.lastDue.Add(p.interval),
		r.ready,
		now.Add(-catchUp),
	)
	wait := latest(due, p.lastSent.Add(p.limiter.gap())).Sub(now)
	if wait > 0 {
		return wait
	}
	p.inFlight++
	p.lastDue = due
	p.lastSent = now
	r.sent = now
	return 0
}

// Release ends an attempt. It reports whether the request is retried, and the
// wait before that, which the next Acquire includes.
func (p *Pacer) Release(r *Request, result Result) (wait time.Duration, retry bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.freeSlot()
	now := time.Now()
	throttled := result.Outcome == Throttled
	tooLong := result.RetryAfter > LongestWait
	isBroken := p.throttled[r.Operation] >= p.breakerLimit
	if throttled && (isBroken || tooLong) {
		return 0, false // The limiter learns nothing, because a lower rate would not help.
	}
	p.learn(r, result.Outcome, now)
	if !result.Retryable || tooLong {
		return 0, false
	}
	wait = p.scheduleRetry(r, result, now)
	if p.hasRetries(r, throttled) {
		return wait, true
	}
	if throttled {
		p.throttled[r.Operation]++
		if p.throttled[r.Operation] == p.breakerLimit {
			p.limiter = newLimiter(p.config.MaxInFlight) // What it learned is void: no limit caused this.
		}
	}
	return 0, false
}

// freeSlot counts a request as no longer in flight, and wakes the next one.
func (p *Pacer) freeSlot() {
	p.inFlight--
	select {
	case p.released <- struct{}{}:
	default: // An earlier signal is still waiting.
	}
}

// learn records what an attempt shows about the service's limits.
func (p *Pacer) learn(r *Request, outcome Outcome, now time.Time) {
	switch outcome {
	case Admitted:
		p.admittedAt = now
		p.limiter.admit(now, r.sent)
		delete(p.throttled, r.Operation)
	case Throttled:
		p.limiter.throttle(now, r.sent)
		if r.throttledAt.IsZero() {
			r.throttledAt = now
		}
	}
}

// scheduleRetry counts an attempt, and returns the wait before the next one.
func (p *Pacer) scheduleRetry(r *Request, result Result, now time.Time) time.Duration {
	r.attempts++
	wait := backoff(p.config.RetryWait, r.attempts)
	if p.isOutage(r, result.Outcome) {
		wait = outageBackoff(p.config.RetryWait, r.attempts)
	}
	if result.Outcome == Throttled && now.Sub(p.admittedAt) < maxThrottled {
		wait /= limitedDivisor
	} else {
		r.retries++
	}
	wait = max(wait, result.RetryAfter)
	r.ready = now.Add(wait)
	return wait
}

// isOutage reports whether an attempt shows that the service is unavailable for all requests,
// as during a restart. If no request was ever admitted, the reason for a missing response can
// be a wrong URL, which is reported soon.
func (p *Pacer) isOutage(r *Request, outcome Outcome) bool {
	if p.admittedAt.After(r.sent) {
		return false
	}
	return outcome == Unavailable ||
		outcome == Disconnected && !p.admittedAt.IsZero()
}

// hasRetries reports whether a scheduled retry is within the limits.
func (p *Pacer) hasRetries(r *Request, throttled bool) bool {
	tooLong := throttled && r.ready.Sub(r.throttledAt) > maxThrottled
	return p.config.MaxRetries > 0 &&
		r.retries <= p.config.MaxRetries &&
		!tooLong
}

// backoff returns a random wait below a bound that doubles with each attempt, so
// that clients that failed at the same time do not retry at the same time.
func backoff(wait time.Duration, attempt int) time.Duration {
	bound := min(maxBackoff, wait<<min(attempt-1, 16))
	return rand.N(bound + 1) //nolint:gosec // A wait is not a secret.
}

// outageBackoff returns a wait that quadruples with each attempt, and is less random, so that
// the default retries last for at least 30 seconds.
func outageBackoff(wait time.Duration, attempt int) time.Duration {
	bound := min(maxBackoff, wait<<min(2*(attempt-1), 16))
	return bound - rand.N(bound/4+1) //nolint:gosec // A wait is not a secret.
}

// pause waits for the time, the signal, or the end of the context.
func pause(ctx context.Context, wait time.Duration, signal <-chan struct{}) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-signal:
	case <-ctx.Done():
	}
}

func latest(times ...time.Time) time.Time {
	return slices.MaxFunc(times, time.Time.Compare)
}
