// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing

import (
	"math"
	"math/rand/v2"
	"time"
)

const (
	// exhausted is the number of consecutive throttled requests that show an
	// exhausted limit. A limit of 4 in flight can throttle 11 of 16 requests.
	exhausted = 12
	// minProbeWait is about the duration of a request, and maxProbeWait is a small
	// part of the usual window, a minute.
	minProbeWait, maxProbeWait = 10 * time.Millisecond, 10 * time.Second
	// minRate is the lowest rate per second, so that a window that is exhausted
	// for a minute does not slow down the next one. Only probes are slower.
	minRate = 0.3
	// maxRate is the highest rate that can be configured. A rate above it has no
	// effect and ends.
	maxRate = 10_000
	// randomTime is the time after which a service can have another limit than
	// random throttling.
	randomTime = 10 * time.Second
)

// mode is what throttled requests have shown about the service's limits. The
// package comment has the events that change it.
type mode int

const (
	noRate    mode = iota // only the number of requests in flight is limited
	probing               // the limit is exhausted: one request at a time, after waits that grow
	slowStart             // the rate doubles until a request is throttled
	steady                // throttled requests reduce the rate, and time raises it
	random                // the service throttles at random: nothing is limited
)

// limiter learns the service's limits from throttled requests.
type limiter struct {
	mode mode
	// since is the time of the last change of the mode or of its limit.
	since       time.Time
	accepted    int // requests since then
	consecutive int // throttled requests

	configured float64 // maximum in flight

	inFlight   float64       // noRate: limit at since; grows with time
	probeWait  time.Duration // probing: before the next probe
	nextProbe  time.Time
	rate       float64 // slowStart, steady: per second, at since; grows with time
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

// perSecond is the rate, or 0 for none. In steady, it has grown by 1 percent
// after 1 s without throttling, by a quarter after 3 s, and 1000-fold after 10 s.
func (l *limiter) perSecond(now time.Time) float64 {
	rate, t := 0.0, now.Sub(l.since).Seconds()
	switch l.mode {
	case slowStart:
		rate = l.rate * math.Pow(2, 4*t)
	case steady:
		x := t / 5
		rate = l.rate * math.Exp(x*x*x)
	}
	if rate > maxRate {
		return 0
	}
	return rate
}

// earliest is the time from which the next request can be sent.
func (l *limiter) earliest(now, lastSent time.Time) time.Time {
	if l.mode == probing {
		return l.nextProbe
	}
	if rate := l.perSecond(now); rate > 0 {
		return lastSent.Add(time.Duration(float64(time.Second) / rate))
	}
	return time.Time{}
}

// accept records an accepted request. An accepted probe begins the slow start,
// at the rate of the last probes.
func (l *limiter) accept(now, sent time.Time) {
	l.accepted++
	l.consecutive = 0
	if l.mode == probing && sent.After(l.since) {
		l.change(slowStart, now)
		l.rate = max(minRate, 1/(l.probeWait+now.Sub(sent)).Seconds())
		l.accepted = 1
		l.throughput = 0
	}
}

// throttle records a throttled request. alone reports that no other request was
// in flight.
func (l *limiter) throttle(now, sent time.Time, alone bool) {
	l.expire(now)
	l.consecutive++
	switch l.mode {
	case probing:
		if sent.After(l.since) {
			l.waitForProbe(now, min(l.probeWait*3/2, maxProbeWait))
		}
		return
	case noRate:
		if alone {
			l.probe(now)
		} else {
			l.inFlight = max(1, float64(l.maxInFlight(now))-1)
			l.change(noRate, now)
		}
	case slowStart, steady:
		// Requests sent before the last reduction do not reduce the rate again.
		if !sent.Before(l.since) {
			l.slowDown(now)
		}
	case random:
	}
	if l.consecutive >= exhausted {
		l.probe(now)
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
		// A coarse clock can return the same time twice.
		elapsed := max(now.Sub(l.since), time.Millisecond)
		l.throughput = max(l.throughput, float64(l.accepted)/elapsed.Seconds())
	}
	l.change(steady, now)
	l.rate = max(minRate, 0.8*rate)
}

func (l *limiter) probe(now time.Time) {
	l.change(probing, now)
	l.waitForProbe(now, minProbeWait)
}

// waitForProbe waits a random time, so that clients that share a limit do not
// resume at the same time.
func (l *limiter) waitForProbe(now time.Time, wait time.Duration) {
	l.probeWait = wait
	l.nextProbe = now.Add(wait*3/4 + rand.N(wait/2)) //nolint:gosec // A wait is not a secret.
}

func (l *limiter) change(to mode, now time.Time) {
	l.mode, l.since, l.accepted = to, now, 0
}
