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
	// Operation and Object identify what is requested.
	Operation, Object string

	queued    time.Time // first
	sent      time.Time // last
	refusedAt time.Time // first
	notBefore time.Time // its own wait before the next attempt
	retries   int       // that count against the maximum
	refusals  int
	probe     bool
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

// New returns a pacer.
func New(config Config) *Pacer {
	p := &Pacer{config: config, limits: newLimits(config), operations: map[string]*operation{}}
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
		p.leave(r)
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
	known := &Limits{InFlight: p.limits.inFlightLimit(now), PerSecond: p.limits.perSecond(now)}
	if p.limits.exhausted {
		known = &Limits{InFlight: 1}
	}
	select {
	case <-r.ready:
		return nil
	default:
	}
	if known.InFlight >= p.config.MaxInFlight && known.PerSecond == 0 {
		return nil
	}
	return known
}

// Release ends an attempt. It reports whether the request is retried, and the
// wait before that, which the next Acquire includes.
func (p *Pacer) Release(r *Request, result Result) (wait time.Duration, retry bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.dispatch()
	p.leave(r)
	now, o := time.Now(), p.operation(r.Operation)
	switch result.Outcome {
	case Accepted:
		p.acceptedAt = now
		o.accept(now)
		p.limits.accept(now, r.probe)
	case Refused:
		if o.givenUp(r.Object, now) {
			return 0, false // The refusal is unrelated to limits.
		}
		if r.refusals++; r.refusals == 1 {
			r.refusedAt = now
		}
		p.limits.refuse(now, r.sent, r.probe, p.inFlight == 0)
	}
	if !result.Retryable || p.config.MaxRetries == 0 {
		return 0, false
	}
	wait, retry = p.retry(r, o, result, now)
	switch {
	case retry:
		r.notBefore = now.Add(wait)
	case result.Outcome == Refused && !o.acceptedAt.After(r.refusedAt):
		o.giveUp(r.Object, now)
		p.limits.forget()
	}
	return wait, retry
}

func (p *Pacer) operation(name string) *operation {
	if p.operations[name] == nil {
		p.operations[name] = &operation{}
	}
	return p.operations[name]
}

// leave removes a request from those in flight.
func (p *Pacer) leave(r *Request) {
	p.inFlight--
	if r.probe {
		p.limits.probeInFlight = false
	}
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
		r.probe = p.limits.exhausted
		p.limits.probeInFlight = r.probe
		close(r.ready)
	}
}

// first returns the index of the request that is sent next.
func (p *Pacer) first(now time.Time) int {
	best := 0
	for i, r := range p.queue {
		if p.before(r, p.queue[best], now) {
			best = i
		}
	}
	return best
}

// before orders the queue. While only probes are sent, requests with the fewest
// refusals precede others, so that the probes are not always the same request,
// which may be refused permanently.
func (p *Pacer) before(a, b *Request, now time.Time) bool {
	aWaits, bWaits := a.notBefore.After(now), b.notBefore.After(now)
	switch {
	case aWaits || bWaits:
		return !aWaits || bWaits && a.notBefore.Before(b.notBefore)
	case p.limits.exhausted:
		return a.refusals < b.refusals
	}
	return !a.sent.IsZero() && b.sent.IsZero()
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
