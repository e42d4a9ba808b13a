// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// Config configures a Pacer.
type Config struct {
	// MaxInFlight is the maximum number of requests in flight.
	MaxInFlight int
	// MaxPerSecond is the maximum rate of requests, including retries; 0 means
	// that only the service limits it.
	MaxPerSecond float64
	// MaxRetries is the maximum number of retries of a request. 0 disables retries.
	MaxRetries int
	// RetryWait is the upper bound of the wait before the first retry, which
	// doubles with each further one.
	RetryWait time.Duration
}

// Request is one request with all its attempts.
type Request struct {
	// Operation identifies requests that a service limits together.
	Operation string

	queued      time.Time     // first
	sent        time.Time     // last
	throttledAt time.Time     // first
	notBefore   time.Time     // its own wait before the next attempt
	retries     int           // that count against the maximum
	throttled   int           // attempts
	ready       chan struct{} // closed when it can be sent
}

// Outcome is the meaning of an attempt for the service's limits.
type Outcome int

// The outcomes.
const (
	Failed    Outcome = iota // no response, or a failure of the service
	Accepted                 // the limits permitted the request, whatever its result
	Throttled                // the request exceeded a limit
)

// Result is the result of an attempt.
type Result struct {
	Outcome Outcome
	// Retryable reports that the request can be sent again.
	Retryable bool
	// RetryAfter is the wait that the service requires before a retry, or 0.
	RetryAfter time.Duration
}

// Pacer decides when requests are sent, and which are sent again. It is safe for
// concurrent use.
type Pacer struct {
	config Config

	mu         sync.Mutex
	limiter    limiter
	breakers   map[string]*breaker // by operation
	queue      []*Request
	timer      *time.Timer // runs while the first request waits for time alone
	inFlight   int
	lastSent   time.Time
	acceptedAt time.Time // last
}

// New returns a pacer.
func New(config Config) *Pacer {
	p := &Pacer{config: config, limiter: newLimiter(config.MaxInFlight), breakers: map[string]*breaker{}}
	p.timer = time.AfterFunc(math.MaxInt64, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.dispatch()
	})
	return p
}

// Acquire waits until the request can be sent, or returns the context's error.
// Each acquired request must be released.
func (p *Pacer) Acquire(ctx context.Context, r *Request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.enqueue(r)
	select {
	case <-r.ready:
		return nil
	case <-ctx.Done():
		p.cancel(r)
		return ctx.Err()
	}
}

func (p *Pacer) enqueue(r *Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.queued.IsZero() {
		r.queued = time.Now()
	}
	r.ready = make(chan struct{})
	p.queue = append(p.queue, r)
	p.dispatch()
}

// cancel removes a request from the queue, or returns its permission.
func (p *Pacer) cancel(r *Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, r); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
	} else {
		p.inFlight--
	}
	p.dispatch()
}

// Release ends an attempt. It reports whether the request is retried, and the
// wait before that, which the next Acquire includes.
func (p *Pacer) Release(r *Request, result Result) (wait time.Duration, retry bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.dispatch()
	p.inFlight--
	now, b := time.Now(), p.breaker(r.Operation)
	switch result.Outcome {
	case Accepted:
		p.acceptedAt = now
		*b = breaker{acceptedAt: now}
		p.limiter.accept(now, r.sent)
	case Throttled:
		if b.open() || result.RetryAfter > LongestWait {
			return 0, false // A lower rate would not help.
		}
		if r.throttled++; r.throttled == 1 {
			r.throttledAt = now
		}
		if b.throttledAt.IsZero() {
			b.throttledAt = now
		}
		p.limiter.throttle(now, r.sent, p.inFlight)
	}
	if !result.Retryable || result.RetryAfter > LongestWait || p.config.MaxRetries == 0 {
		return 0, false
	}
	wait, retry = p.retry(r, b, result, now)
	switch {
	case retry:
		r.notBefore = now.Add(wait)
	case result.Outcome == Throttled && !b.acceptedAt.After(r.throttledAt):
		b.givenUp++
		p.limiter = newLimiter(p.config.MaxInFlight) // What was learned is void: no limit caused this.
	}
	return wait, retry
}

func (p *Pacer) breaker(operation string) *breaker {
	if p.breakers[operation] == nil {
		p.breakers[operation] = &breaker{}
	}
	return p.breakers[operation]
}

// dispatch sends the requests that can be sent now, and sets the timer for the
// others.
func (p *Pacer) dispatch() {
	p.timer.Stop()
	for len(p.queue) > 0 {
		now := time.Now()
		if p.inFlight >= p.limiter.maxInFlight(now) {
			p.timer.Reset(time.Second) // A limit can grow before the next response.
			return
		}
		i := p.first(now)
		r := p.queue[i]
		gap := max(interval(p.config.MaxPerSecond), interval(p.limiter.perSecond(now)))
		if wait := latest(r.notBefore, p.lastSent.Add(gap)).Sub(now); wait > 0 {
			p.timer.Reset(min(wait, time.Second)) // The rate can grow until then.
			return
		}
		p.queue = slices.Delete(p.queue, i, i+1)
		p.inFlight++
		p.lastSent, r.sent = now, now
		close(r.ready)
	}
}

// first returns the index of the request that is sent next. Those that wait for
// nothing precede others, and retries precede first attempts.
func (p *Pacer) first(now time.Time) int {
	best := 0
	for i, r := range p.queue {
		b := p.queue[best]
		waits, bestWaits := r.notBefore.After(now), b.notBefore.After(now)
		switch {
		case waits && bestWaits && r.notBefore.Before(b.notBefore),
			!waits && bestWaits,
			!waits && b.sent.IsZero() && !r.sent.IsZero():
			best = i
		}
	}
	return best
}

// interval is the time between two requests at a rate, which is 0 for none.
func interval(perSecond float64) time.Duration {
	if perSecond <= 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / perSecond)
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
