// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing

import (
	"math"
	"time"
)

const (
	// exhausted is the number of consecutive throttled requests that show an
	// exhausted limit. A limit of 4 in flight can throttle 11 of 16 requests.
	exhausted = 12
	// probeRate is the rate per second at which probing begins.
	probeRate = 100
	// minRate is the lowest rate per second. At this rate, the retries of a request
	// outlast a window of a minute, whose end is noticed within 7 s.
	minRate = 0.15
	// maxRate is the highest rate per second that can be configured. A learned rate
	// above it has no effect and ends.
	maxRate = 10_000
	// randomTime is the time for which throttling is considered random.
	randomTime = 10 * time.Second
)

// mode is what throttled requests have shown about the service's limits. The
// package comment lists the events that change it.
type mode int

const (
	noRate    mode = iota // only the number of requests in flight is limited
	probing               // the limit is exhausted: one request at a time, at a decreasing rate
	slowStart             // the rate doubles until a request is throttled
	steady                // throttled requests reduce the rate, and time raises it
	random                // the service throttles at random: nothing is limited
)

// limiter learns the service's limits from throttled requests.
type limiter struct {
	configured float64 // maximum in flight

	mode        mode
	since       time.Time // last change of the mode, or of the limit in it
	accepted    int       // requests since then
	consecutive int       // throttled requests

	inFlight   float64 // noRate: limit at since
	rate       float64 // probing, slowStart, steady: per second, at since
	throughput float64 // steady: highest number of accepted requests per second
}

func newLimiter(maxInFlight int) limiter {
	return limiter{configured: float64(maxInFlight), inFlight: float64(maxInFlight)}
}

// maxInFlight is the number of requests that can be in flight. In noRate, it has
// grown by 1 after 1.5 s without throttling, and by 8 after 3 s.
func (l *limiter) maxInFlight(now time.Time) int {
	switch l.mode {
	case noRate:
		x := now.Sub(l.since).Seconds() / 1.5
		return int(min(l.configured, l.inFlight+x*x*x))
	case probing:
		return 1
	}
	return int(l.configured)
}

// perSecond is the rate, or 0 for none. In slowStart, it doubles at most once per
// accepted request. In steady, it has grown by a quarter after 3 s without
// throttling, and 1000-fold after 10 s.
func (l *limiter) perSecond(now time.Time) float64 {
	rate, t := 0.0, now.Sub(l.since).Seconds()
	switch l.mode {
	case probing:
		rate = l.rate
	case slowStart:
		rate = l.rate * math.Pow(2, min(4*t, float64(1+l.accepted)))
	case steady:
		x := t / 5
		rate = l.rate * math.Exp(x*x*x)
	}
	if rate > maxRate {
		return 0
	}
	return rate
}

// accept records an accepted request. An accepted probe begins the slow start, at
// the rate that probes had, including the time of the request.
func (l *limiter) accept(now, sent time.Time) {
	l.accepted++
	l.consecutive = 0
	if l.mode == probing && sent.After(l.since) {
		rate := 1 / (1/l.rate + now.Sub(sent).Seconds())
		l.change(slowStart, now)
		l.rate, l.throughput = max(minRate, rate), 0
	}
}

// throttle records a throttled request, with the number of others in flight. Only
// a request that was sent since the last change shows anything about the rate.
func (l *limiter) throttle(now, sent time.Time, others int) {
	l.expire(now)
	l.consecutive++
	switch l.mode {
	case noRate:
		l.inFlight = max(1, float64(l.maxInFlight(now))-1)
		l.change(noRate, now)
	case probing:
		if sent.After(l.since) {
			l.rate = max(minRate, l.rate*2/3)
		}
	case slowStart, steady:
		if sent.After(l.since) {
			l.slowDown(now)
		}
	case random:
	}
	if l.mode != probing && l.consecutive >= exhausted || l.mode == noRate && others == 0 {
		l.change(probing, now)
		l.rate = probeRate
	}
}

// expire ends a mode whose time has passed.
func (l *limiter) expire(now time.Time) {
	rateEnded := (l.mode == slowStart || l.mode == steady) && l.perSecond(now) == 0
	randomEnded := l.mode == random && now.Sub(l.since) > randomTime
	if rateEnded || randomEnded {
		l.change(noRate, now)
		l.inFlight = l.configured
	}
}

// slowDown reduces the rate to 80 percent. If earlier reductions did not help,
// the service throttles at random.
func (l *limiter) slowDown(now time.Time) {
	rate := l.perSecond(now)
	if l.mode == steady {
		if rate < l.throughput/3 {
			l.change(random, now)
			return
		}
		l.throughput = max(l.throughput, float64(l.accepted)/now.Sub(l.since).Seconds())
	}
	l.change(steady, now)
	l.rate = max(minRate, 0.8*rate)
}

func (l *limiter) change(to mode, now time.Time) {
	l.mode, l.since, l.accepted = to, now, 0
}
