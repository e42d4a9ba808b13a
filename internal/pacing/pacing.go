// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

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
// request that would have to wait longer ends.
const LongestWait = time.Minute

const (
	// The upper bounds of a request's own wait: in general, and after a refusal
	// while others are accepted.
	maxBackoff, maxRefusedBackoff = 30 * time.Second, 2 * time.Second
	// maxRefusals limits the attempts at a request that is refused while others are
	// accepted. Even if half of all requests are refused at random, the probability
	// of 20 refusals of the same request is one in a million.
	maxRefusals = 20
	// maxRefusedTime limits the time in which every request of an operation is
	// refused. Most windows last one minute.
	maxRefusedTime = 100 * time.Second
	// maxGivenUp is the number of requests of an operation that must be given up
	// before all others are.
	maxGivenUp = 3
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

// Outcome is the meaning of an attempt for the service's limits.
type Outcome int

// The outcomes.
const (
	Failed   Outcome = iota // no response, or a failure of the service
	Accepted                // the limits permitted the request, whatever its result
	Refused                 // the request exceeded a limit
)

// Result is the result of an attempt.
type Result struct {
	Outcome Outcome
	// Retryable reports that the request can be sent again.
	Retryable bool
	// RetryAfter is the wait that the service requires before a retry, or 0.
	RetryAfter time.Duration
}

// Request is one request with all its attempts.
type Request struct {
	// Operation identifies requests that a service limits together.
	Operation string

	queued    time.Time // first
	sent      time.Time // last
	refusedAt time.Time // first
	notBefore time.Time // its own wait before the next attempt
	retries   int       // that count against the maximum
	refusals  int
	ready     chan struct{} // closed when it can be sent
}

// Limits are the learned limits that a request waited for.
type Limits struct {
	InFlight  int
	PerSecond float64 // 0 for no limit
}

// Pacer decides when requests are sent, and which are sent again. It is safe for
// concurrent use.
type Pacer struct {
	config Config
	gap    time.Duration // configured minimum between two requests

	mu         sync.Mutex
	limits     limits
	queue      []*Request
	timer      *time.Timer // runs while the first request waits for time alone
	inFlight   int
	lastSent   time.Time
	acceptedAt time.Time
	operations map[string]*operation
}

// operation is what is known about an operation.
type operation struct {
	acceptedAt time.Time
	// givenUp is the number of requests that were refused until their last attempt
	// since then.
	givenUp int
}

// New returns a pacer.
func New(config Config) *Pacer {
	p := &Pacer{config: config, limits: newLimits(config.MaxInFlight), operations: map[string]*operation{}}
	if config.MaxPerSecond > 0 {
		p.gap = time.Duration(float64(time.Second) / config.MaxPerSecond)
	}
	p.timer = time.AfterFunc(math.MaxInt64, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.dispatch()
	})
	p.timer.Stop()
	return p
}

// Acquire waits until the request can be sent, or returns the context's error.
// Each acquired request must be released. The limits are nil unless the request
// waited for learned ones.
func (p *Pacer) Acquire(ctx context.Context, r *Request) (*Limits, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	waited := p.enqueue(r)
	select {
	case <-r.ready:
		return waited, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, r); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
	} else {
		p.inFlight--
	}
	p.dispatch()
	return waited, ctx.Err()
}

// enqueue returns the learned limits if the request has to wait for them.
func (p *Pacer) enqueue(r *Request) *Limits {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if r.queued.IsZero() {
		r.queued = now
	}
	if p.inFlight == 0 && len(p.queue) == 0 {
		p.limits.idle(now)
	}
	r.ready = make(chan struct{})
	p.queue = append(p.queue, r)
	p.dispatch()
	learned := &Limits{InFlight: p.limits.inFlightLimit(now), PerSecond: p.limits.perSecond(now)}
	isLimited := learned.InFlight < p.config.MaxInFlight || learned.PerSecond > 0
	if isLimited && slices.Contains(p.queue, r) {
		return learned
	}
	return nil
}

// Release ends an attempt. It reports whether the request is retried, and the
// wait before that, which the next Acquire includes.
func (p *Pacer) Release(r *Request, result Result) (wait time.Duration, retry bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.dispatch()
	p.inFlight--
	now, o := time.Now(), p.operation(r.Operation)
	switch result.Outcome {
	case Accepted:
		p.acceptedAt = now
		o.acceptedAt, o.givenUp = now, 0
		p.limits.accept(now, r.sent)
	case Refused:
		if o.givenUp >= maxGivenUp {
			return 0, false // The refusal is unrelated to limits.
		}
		if r.refusals++; r.refusals == 1 {
			r.refusedAt = now
		}
		p.limits.refuse(now, r.sent, p.inFlight == 0)
	}
	if !result.Retryable || p.config.MaxRetries == 0 {
		return 0, false
	}
	wait, retry = p.retry(r, o, result, now)
	switch {
	case retry:
		r.notBefore = now.Add(wait)
	case result.Outcome == Refused && !o.acceptedAt.After(r.refusedAt):
		// No limit caused these refusals.
		o.givenUp++
		p.limits = newLimits(p.config.MaxInFlight)
	}
	return wait, retry
}

// retry returns whether a request is sent again, and the wait before that.
func (p *Pacer) retry(r *Request, o *operation, result Result, now time.Time) (time.Duration, bool) {
	var wait time.Duration
	othersAccepted := now.Sub(p.acceptedAt) < time.Minute
	if result.Outcome == Refused && othersAccepted {
		if r.refusals > max(maxRefusals, p.config.MaxRetries) {
			return 0, false
		}
		wait = backoff(p.config.RetryWait/8, r.refusals, maxRefusedBackoff)
	} else {
		r.retries++
		if r.retries > p.config.MaxRetries {
			return 0, false
		}
		wait = backoff(p.config.RetryWait, r.retries, maxBackoff)
	}
	if after := result.RetryAfter; after > 0 {
		wait = after + backoff(after/10, 1, maxBackoff)
	}
	tooLate := result.Outcome == Refused && now.Add(wait).Sub(latest(r.queued, o.acceptedAt)) > maxRefusedTime
	return wait, result.RetryAfter <= LongestWait && !tooLate
}

// backoff returns a random wait below a bound that doubles with each attempt, so
// that clients that failed at the same time do not retry at the same time.
func backoff(wait time.Duration, attempt int, most time.Duration) time.Duration {
	if doublings := attempt - 1; doublings < 16 {
		most = min(most, wait<<doublings)
	}
	return rand.N(most + 1) //nolint:gosec // A wait is not a secret.
}

func (p *Pacer) operation(name string) *operation {
	if p.operations[name] == nil {
		p.operations[name] = &operation{}
	}
	return p.operations[name]
}

// dispatch sends the requests that can be sent now, and sets the timer for the
// others.
func (p *Pacer) dispatch() {
	p.timer.Stop()
	for len(p.queue) > 0 {
		now := time.Now()
		if p.inFlight >= p.limits.inFlightLimit(now) {
			p.timer.Reset(time.Second) // A limit can grow before the next response.
			return
		}
		i := p.first(now)
		r := p.queue[i]
		at := latest(r.notBefore, p.lastSent.Add(p.gap), p.limits.earliest(now, p.lastSent))
		if wait := at.Sub(now); wait > 0 {
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

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
