// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package pacing decides when requests are sent, and whether and when they are
// retried. It knows the outcomes of requests, but neither HTTP nor any API.
//
// A request acquires permission before each attempt, and releases it with the
// attempt's outcome:
//
//   - A slot limits the number of requests in flight, and the limiter (limiter.go) their
//     rate, which it learns.
//   - Before a retry, a request waits for a random time whose bound doubles with each
//     attempt (exponential backoff with full jitter), and at least for the time that
//     the service requires.
//   - A limit, or an outage, concerns all requests. They are retried until the service has
//     admitted none of the operation for some time. Later ones then fail at once, until one is
//     admitted.
//   - A failure while the service admits others concerns one request, whose number of retries
//     is limited.
package pacing

import (
	"cmp"
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// LongestWait is the longest wait before a retry that a service can require. A
// request that would have to wait longer is not retried.
const LongestWait = time.Minute

// maxBackoff is the longest wait before a retry, unless the service requires more.
const maxBackoff = 4 * time.Second

// An outage, or a limit, can last so long for each retry of Config.MaxRetries, however many
// retries that takes. Most limits apply to a minute or less, which the patience of 4 retries
// outlasts.
const outagePatience, limitPatience = 10 * time.Second, 20 * time.Second

// Config configures a Pacer.
type Config struct {
	// MaxInFlight is the maximum number of requests in flight.
	MaxInFlight int
	// MaxPerSecond is the maximum rate of requests, including retries; 0 means that only the
	// service limits it.
	MaxPerSecond float64
	// MaxRetries is the maximum number of retries of a request that fails while others are
	// admitted. For outages and limits, see outagePatience.
	MaxRetries int
	// RetryWait is the upper bound of the random wait before the first retry, which doubles
	// with each further one.
	RetryWait time.Duration
}

// Request is one request with all its attempts.
type Request struct {
	// Operation identifies requests that a service limits together.
	Operation string
	// Attempts is the number of attempts so far, including the current one.
	Attempts int

	// firstSent, firstFailed, and sent are of the first attempt, the first one that failed, and
	// the current one.
	firstSent, firstFailed, sent time.Time
	// ready is the earliest time of the next attempt.
	ready time.Time
	// retries counts those against the maximum.
	retries int
}

// Outcome is what an attempt shows about the service.
type Outcome int

// The outcomes.
const (
	// Failed means that the service is down, or fails for this request.
	Failed Outcome = iota
	// Throttled means that the request exceeded a limit.
	Throttled
	// Admitted means that the request was within the limits, whatever its result.
	Admitted
)

// Result is the result of an attempt.
type Result struct {
	Outcome Outcome
	// Retryable reports that the request can be sent again.
	Retryable bool
	// RetryAfter is the shortest wait before a retry that the service permits, or 0.
	RetryAfter time.Duration
}

// Pacer decides when requests are sent, and which are retried. It is safe for
// concurrent use.
type Pacer struct {
	config Config
	slots  *semaphore.Weighted

	mu      sync.Mutex
	limiter *limiter
	// outages and limits have, by operation, since when requests have failed, or have been
	// throttled, without one that was admitted.
	outages, limits clocks
	// lastAdmitted is when the request that was last admitted was sent.
	lastAdmitted time.Time
	// upUntil is when a request was last admitted. After a failure that concerned one
	// request, it is later, because the next one can be about the same object.
	upUntil time.Time
	// failing has the requests to retry that failed since a request was last admitted.
	failing map[*Request]bool
}

// New returns a pacer.
func New(config Config) *Pacer {
	return &Pacer{
		config:  config,
		slots:   semaphore.NewWeighted(int64(config.MaxInFlight)),
		limiter: newLimiter(config),
		outages: clocks{},
		limits:  clocks{},
		failing: map[*Request]bool{},
	}
}

// Acquire waits until the request can be sent, or returns the context's error.
// Each acquired request must be released.
func (p *Pacer) Acquire(ctx context.Context, r *Request) error {
	select {
	case <-time.After(time.Until(r.ready)):
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := p.slots.Acquire(ctx, 1); err != nil {
		return err
	}
	if err := p.limiter.wait(ctx); err != nil {
		p.slots.Release(1)
		return err
	}
	r.sent = time.Now()
	r.firstSent = cmp.Or(r.firstSent, r.sent)
	r.Attempts++
	return nil
}

// Release ends an attempt. It reports whether the request is retried, and the
// wait before that, which the next Acquire includes.
func (p *Pacer) Release(r *Request, result Result) (wait time.Duration, retry bool) {
	p.slots.Release(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	retry = result.Retryable && result.RetryAfter <= LongestWait
	switch {
	case result.Outcome == Admitted:
		p.admit(r, now)
	case retry && result.Outcome == Throttled:
		retry = p.throttle(r, now)
	case retry:
		retry = p.fail(r, now)
	}
	if !retry {
		delete(p.failing, r)
		return 0, false
	}
	wait = max(backoff(p.config.RetryWait, r.Attempts), result.RetryAfter)
	r.ready = now.Add(wait)
	return wait, true
}

// admit records an admitted attempt, which ends all obstacles of its operation.
func (p *Pacer) admit(r *Request, now time.Time) {
	p.limiter.admit(now, r.sent)
	p.lastAdmitted, p.upUntil = r.sent, now
	clear(p.failing)
	delete(p.outages, r.Operation)
	delete(p.limits, r.Operation)
}

// throttle records a throttled attempt, and reports whether the request is retried: while
// the limit can last.
func (p *Pacer) throttle(r *Request, now time.Time) bool {
	lasted := p.limits.lasted(r.Operation, now)
	patience := time.Duration(p.config.MaxRetries) * limitPatience
	if lasted < max(patience, limitPatience) {
		p.limiter.throttle(now, r.sent)
	} else {
		p.limiter.reset() // What it learned is void: no limit on the rate caused this.
	}
	return lasted < patience
}

// fail records a failed attempt, and reports whether the request is retried: while the outage
// can last, or, if the failure concerns this request alone, up to the maximum.
func (p *Pacer) fail(r *Request, now time.Time) bool {
	r.firstFailed = cmp.Or(r.firstFailed, now)
	p.failing[r] = true
	// The service is up if it admitted another request that was sent after the first failure,
	// or others during the attempts while no other one fails. Those can have been sent before
	// an outage.
	isUp := p.lastAdmitted.After(r.firstFailed) || p.upUntil.After(r.firstSent) && len(p.failing) == 1
	patience := time.Duration(p.config.MaxRetries) * outagePatience
	isOver := now.Sub(cmp.Or(p.outages[r.Operation], now)) >= patience
	if isUp && !isOver { // No outage begins.
		r.retries++
		if r.retries > p.config.MaxRetries {
			p.upUntil = now.Add(maxBackoff)
			return false
		}
		return true
	}
	return p.outages.lasted(r.Operation, now) < patience
}

// clocks has the times at which something began, by operation.
type clocks map[string]time.Time

// lasted returns the time since the first call for an operation.
func (c clocks) lasted(operation string, now time.Time) time.Duration {
	c[operation] = cmp.Or(c[operation], now)
	return now.Sub(c[operation])
}

// backoff returns a random wait below a bound that doubles with each attempt, so
// that clients that failed at the same time do not retry at the same time.
func backoff(wait time.Duration, attempt int) time.Duration {
	bound := min(maxBackoff, wait<<min(attempt-1, 16))
	return rand.N(bound + 1) //nolint:gosec // A wait is not a secret.
}
