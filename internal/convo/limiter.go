// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// outcome is the meaning of a response for the service's limits.
type outcome int

const (
	outcomeUnknown outcome = iota // no response, or a failure of the service
	outcomePassed                 // the service accepted the request, whatever the result
	outcomeRefused                // the request exceeded a limit
)

// recently is the time for which a success indicates that other requests can
// succeed.
const recently = time.Minute

// limiter decides when a request can be sent. It limits the number in flight
// and the pace to the configured values and to those inferred from refusals
// (see learned). Requests wait in one queue, in which retries precede first
// attempts.
type limiter struct {
	most int           // configured maximum of requests in flight
	gap  time.Duration // configured minimum between two requests

	mu         sync.Mutex
	learned    learned
	queue      []*turn
	timer      *time.Timer // runs while the first turn waits for time alone
	inFlight   int
	lastSent   time.Time
	operations map[string]*operationLimits

	passedAt   time.Time // the last success
	refusedAt  time.Time // the last refusal
	quietSince time.Time // the first refusal since the last success
}

// operationLimits exists for each operation, so that an operation that is
// always refused is given up although others succeed.
type operationLimits struct{ passedAt, gaveUpAt time.Time }

// turn is a call's place in the queue, for all its attempts.
type turn struct {
	operation string
	notBefore time.Time // its own wait before the next attempt

	begin    time.Time // first queued
	sent     time.Time // last sent
	refusals int
	probe    bool // sent alone while all others were stopped
	ready    chan struct{}
}

// refusal describes the circumstances of a refused request.
type refusal struct {
	// recent reports that another request succeeded recently.
	recent bool
	// quiet is the time for which all requests have been refused.
	quiet time.Duration
	// hopeless reports that the operation was given up and has not succeeded
	// since.
	hopeless bool
}

// limits are the limits that a request waited for, for the log.
type limits struct {
	learned   bool // the request waited for an inferred limit
	inFlight  int
	perSecond float64 // 0 for no limit
}

// newLimiter returns a limiter for a maximum number of requests in flight, a
// maximum per second (0 for no limit) and the maximum wait before a first
// retry.
func newLimiter(most int, perSecond float64, wait time.Duration) *limiter {
	l := &limiter{most: most, learned: newLearned(most, wait), operations: map[string]*operationLimits{}}
	if perSecond > 0 {
		l.gap = time.Duration(float64(time.Second) / perSecond)
	}
	l.timer = time.AfterFunc(math.MaxInt64, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.dispatch()
	})
	l.timer.Stop()
	return l
}

// admit returns when the turn can be sent, or returns the context's error. Each
// admitted turn must be released.
func (l *limiter) admit(ctx context.Context, t *turn) (limits, error) {
	if err := ctx.Err(); err != nil {
		return limits{}, err
	}
	t.ready = make(chan struct{})
	l.mu.Lock()
	now := time.Now()
	if t.begin.IsZero() {
		t.begin = now
	}
	if l.inFlight == 0 && len(l.queue) == 0 {
		l.learned.resume(now)
	}
	l.queue = append(l.queue, t)
	l.dispatch()
	known := l.known(now)
	l.mu.Unlock()

	select {
	case <-t.ready:
		return known, nil
	default:
	}
	known.learned = known.inFlight < l.most || known.perSecond > 0
	select {
	case <-t.ready:
		return known, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.queue, t); i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
	} else {
		l.leave(t)
	}
	l.dispatch()
	return known, ctx.Err()
}

// known returns the limits that a request waits for at this time.
func (l *limiter) known(now time.Time) limits {
	if l.learned.blocked() {
		return limits{inFlight: 1}
	}
	return limits{inFlight: l.learned.mostInFlight(now), perSecond: l.learned.perSecond(now)}
}

// release ends an attempt. Its result is meaningful only after a refusal. asked
// reports that the response had a Retry-After header.
func (l *limiter) release(t *turn, o outcome, asked bool) refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(t)
	now, operation := time.Now(), l.operation(t.operation)
	hopeless := now.Sub(operation.gaveUpAt) < recently
	switch o {
	case outcomePassed:
		l.passedAt, operation.passedAt, operation.gaveUpAt = now, now, time.Time{}
		l.quietSince = time.Time{}
		l.learned.passed(now, t)
	case outcomeRefused:
		if l.quietSince.IsZero() || now.Sub(l.refusedAt) > recently {
			l.quietSince = now
		}
		l.refusedAt = now
		t.refusals++
		if !hopeless { // Otherwise the refusal is unrelated to limits.
			l.learned.refused(now, t, l.inFlight == 0, asked)
		}
	}
	l.dispatch()
	return refusal{
		recent:   now.Sub(l.passedAt) < recently,
		quiet:    now.Sub(l.quietSince),
		hopeless: hopeless,
	}
}

// giveUp records that a turn ended with a refusal. Each further call of the
// operation is then attempted only once, until one succeeds.
func (l *limiter) giveUp(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if operation := l.operation(t.operation); !operation.passedAt.After(t.begin) {
		operation.gaveUpAt = time.Now()
		l.learned.forget(operation.gaveUpAt)
		l.dispatch()
	}
}

func (l *limiter) operation(name string) *operationLimits {
	if l.operations[name] == nil {
		l.operations[name] = &operationLimits{}
	}
	return l.operations[name]
}

// leave removes a turn from those in flight.
func (l *limiter) leave(t *turn) {
	l.inFlight--
	if t.probe {
		l.learned.probing = false
	}
}

// dispatch admits the turns that can be sent now, and sets the timer for the
// others.
func (l *limiter) dispatch() {
	l.timer.Stop()
	for len(l.queue) > 0 {
		now := time.Now()
		if l.learned.probing || l.inFlight >= l.learned.mostInFlight(now) {
			if l.learned.grows() {
				l.timer.Reset(time.Second) // A limit can grow before the next response.
			}
			return
		}
		i := l.first(now)
		t := l.queue[i]
		held := l.learned.heldUntil
		if end := l.quietSince.Add(patience); end.Before(held) && !l.quietSince.IsZero() {
			held = end // Each of them is then attempted once more.
		}
		at := latest(t.notBefore, l.lastSent.Add(max(l.gap, l.learned.interval(now))), held)
		if wait := at.Sub(now); wait > 0 {
			l.timer.Reset(min(wait, time.Second)) // The pace may grow until then.
			return
		}
		l.queue = slices.Delete(l.queue, i, i+1)
		l.inFlight++
		l.lastSent, t.sent = now, now
		t.probe = l.learned.blocked()
		l.learned.probing = t.probe
		close(t.ready)
	}
}

// first returns the index of the turn that is sent next.
func (l *limiter) first(now time.Time) int {
	best := 0
	for i, t := range l.queue {
		if l.before(t, l.queue[best], now) {
			best = i
		}
	}
	return best
}

// before orders the queue. While all requests are stopped, those with the
// fewest refusals precede others, so that the probes are not always the same
// request, which may be refused permanently.
func (l *limiter) before(a, b *turn, now time.Time) bool {
	aWaits, bWaits := a.notBefore.After(now), b.notBefore.After(now)
	switch {
	case aWaits || bWaits:
		return !aWaits || bWaits && a.notBefore.Before(b.notBefore)
	case l.learned.blocked():
		return a.refusals < b.refusals
	}
	return !a.sent.IsZero() && b.sent.IsZero()
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
