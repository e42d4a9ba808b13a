// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

const (
	// minRate is the lowest number of requests per second that is learned. It is not
	// lower, so that the end of a limit is noticed soon.
	minRate = 0.5
	// decrease reduces a rate that was too high. It keeps most of the rate, because
	// most of it fits, like CUBIC's 0.7.
	decrease = 0.8
	// exhausted reduces the rate while nothing is admitted, like TCP's backoff after each
	// timeout.
	exhausted = 0.5
	// requestsPerStep is the number of admitted requests until one more is in flight. It
	// is large, because a request is throttled each time that the rate exceeds the limit.
	requestsPerStep = 100
	// minStep is the least growth of the rate with each admitted request, so that a low
	// rate recovers soon, and clients that share a limit get equal parts.
	minStep = 0.1
	// latencyDivisor smooths the latency, as in TCP.
	latencyDivisor = 8
)

// limiter learns how many requests per second the service admits, as TCP learns the
// capacity of a network: with slow start, additive increase, and multiplicative decrease.
// A limit on the requests in flight is learned as a rate, too.
type limiter struct {
	// pace has the learned rate.
	pace *rate.Limiter
	// next is for the one request that waits, so that a new rate holds for all others.
	next *semaphore.Weighted

	maxInFlight float64
	maxRate     rate.Limit
	// doubleUntil is the rate up to which it doubles.
	doubleUntil rate.Limit
	// latency is that of admitted requests, smoothed.
	latency time.Duration
	// reducedAt is when the rate was last reduced.
	reducedAt time.Time
	// recovered reports that a request that was sent since then was admitted.
	recovered bool
}

func newLimiter(config Config) *limiter {
	l := &limiter{
		next:        semaphore.NewWeighted(1),
		maxInFlight: float64(config.MaxInFlight),
		maxRate:     rate.Inf,
		latency:     100 * time.Millisecond, // until it is measured
	}
	if config.MaxPerSecond > 0 {
		l.maxRate = rate.Limit(config.MaxPerSecond)
	}
	l.pace = rate.NewLimiter(l.maxRate, 1)
	l.reset()
	return l
}

// reset forgets what was learned.
func (l *limiter) reset() {
	l.pace.SetLimit(l.maxRate)
	l.doubleUntil = l.maxRate
}

// wait waits until the rate permits a request.
func (l *limiter) wait(ctx context.Context) error {
	if err := l.next.Acquire(ctx, 1); err != nil {
		return err
	}
	defer l.next.Release(1)
	return l.pace.Wait(ctx)
}

// perLatency returns the rate of so many requests in the time that one takes.
func (l *limiter) perLatency(requests float64) rate.Limit {
	return rate.Limit(requests / l.latency.Seconds())
}

// admit records an admitted request. It raises the rate if the request was sent
// since the last reduction.
func (l *limiter) admit(now, sent time.Time) {
	l.latency += (now.Sub(sent) - l.latency) / latencyDivisor
	if !sent.After(l.reducedAt) {
		return
	}
	l.recovered = true
	step := min(l.pace.Limit(), l.perLatency(1)) // doubles the rate with as many requests as are in flight
	if l.pace.Limit() >= l.doubleUntil {
		step = max(minStep, step/requestsPerStep)
	}
	l.pace.SetLimit(min(l.maxRate, l.pace.Limit()+step))
}

// throttle records a throttled request. It reduces the rate if the request was
// sent since the last reduction.
func (l *limiter) throttle(now, sent time.Time) {
	if !sent.After(l.reducedAt) {
		return
	}
	current := min(l.pace.Limit(), l.perLatency(l.maxInFlight)) // what was sent
	factor := rate.Limit(exhausted)
	if l.recovered {
		factor = decrease
		l.doubleUntil = current / 2
	}
	l.pace.SetLimit(min(l.maxRate, max(minRate, current*factor)))
	l.reducedAt = now
	l.recovered = false
}
