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

// outcome is what the response to a request shows of the service's limits.
type outcome int

const (
	outcomeUnknown outcome = iota // nothing: no response, or a failure of the service
	outcomePassed                 // the request was let through, whatever became of it
	outcomeRefused                // the request met a limit
)

// recently is how long a request that got through shows that others may too.
const recently = time.Minute

// limiter decides when a request may be sent: at most so many in flight and so
// fast as was configured and as the service has shown to allow (see learned).
// Requests wait in one queue, in which those that were sent before go first.
type limiter struct {
	gap time.Duration // the least between two requests, by configuration

	mu         sync.Mutex
	learned    learned
	queue      []*turn
	timer      *time.Timer // runs while the first of the queue only needs time
	inFlight   int
	lastSent   time.Time
	operations map[string]*operationLimits

	passedAt   time.Time // the last request that got through
	refusedAt  time.Time // the last refusal
	quietSince time.Time // the first refusal since a request got through
}

// operationLimits is kept for each operation, so that one that is refused for
// good is given up although others get through.
type operationLimits struct{ passedAt, gaveUpAt time.Time }

// turn is one call's place in the queue, kept over all its attempts.
type turn struct {
	operation string
	notBefore time.Time // its own wait before the next attempt

	begin    time.Time // first queued
	sent     time.Time // last sent
	refusals int
	probe    bool // sent alone while everything else was held back
	ready    chan struct{}
}

// refusal is what else is known when a request was refused.
type refusal struct {
	// recent says that some request got through lately.
	recent bool
	// quiet is how long all requests have been refused.
	quiet time.Duration
	// hopeless says that the operation was given up, and none got through since.
	hopeless bool
}

// limits are what a request met in the queue, for the log.
type limits struct {
	learned   bool // the request waited, and not for the configuration alone
	inFlight  int
	perSecond float64 // 0 for no limit
}

// newLimiter takes the most requests in flight, the most per second (0 for no
// limit) and the wait that a first retry has at most.
func newLimiter(most int, perSecond float64, wait time.Duration) *limiter {
	l := &limiter{learned: newLearned(most, wait), operations: map[string]*operationLimits{}}
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

// admit returns when the turn may be sent, or with the context's error. Each
// turn that was admitted is to be released.
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
	known.learned = known.inFlight < l.learned.most || known.perSecond > 0
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

// known is what a request has to wait for at this time.
func (l *limiter) known(now time.Time) limits {
	if l.learned.blocked() {
		return limits{inFlight: 1}
	}
	return limits{inFlight: l.learned.mostInFlight(now), perSecond: l.learned.perSecond(now)}
}

// release ends an attempt. The result matters only after a refusal; asked says
// that the service named the time to wait.
func (l *limiter) release(t *turn, o outcome, asked bool) refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(t)
	now, operation := time.Now(), l.operation(t.operation)
	hopeless := !operation.gaveUpAt.IsZero() && now.Sub(operation.gaveUpAt) < recently
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
		if !hopeless { // Else it says nothing of the others.
			l.learned.refused(now, t, l.inFlight == 0, asked)
		}
	}
	l.dispatch()
	return refusal{
		recent:   !l.passedAt.IsZero() && now.Sub(l.passedAt) < recently,
		quiet:    now.Sub(l.quietSince),
		hopeless: hopeless,
	}
}

// giveUp notes that a turn ended with a refusal. Those of the same operation
// are then not worth more than one attempt each, until one gets through.
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

// leave takes a turn out of those in flight.
func (l *limiter) leave(t *turn) {
	l.inFlight--
	if t.probe {
		l.learned.probing = false
	}
}

// dispatch sends who may go now, and sets the timer for who may go later.
func (l *limiter) dispatch() {
	l.timer.Stop()
	for len(l.queue) > 0 {
		now := time.Now()
		if l.learned.probing || l.inFlight >= l.learned.mostInFlight(now) {
			if l.learned.grows() {
				l.timer.Reset(time.Second) // A limit can grow before a response comes.
			}
			return
		}
		i := l.first(now)
		t := l.queue[i]
		held := l.learned.heldUntil
		if end := l.quietSince.Add(patience); end.Before(held) && !l.quietSince.IsZero() {
			held = end // Each is then tried once more.
		}
		at := latest(t.notBefore, l.lastSent.Add(max(l.gap, l.learned.interval(now))), held)
		if wait := at.Sub(now); wait > 0 {
			l.timer.Reset(min(wait, time.Second)) // By then the pace may have grown.
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

// first is the index of the turn that goes next, or first of all that wait.
func (l *limiter) first(now time.Time) int {
	best := 0
	for i, t := range l.queue {
		if l.before(t, l.queue[best], now) {
			best = i
		}
	}
	return best
}

// before orders the queue. While everything is held back, those with the fewest
// refusals go first: a request that is refused for good must not be the only
// one that is tried.
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
