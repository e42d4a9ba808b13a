// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing

import (
	"math"
	"math/rand/v2"
	"time"
)

const (
	// exhausting is the number of consecutive refusals that show an exhausted
	// limit. Random refusals rarely cause so many.
	exhausting = 12
	// enough is the number of accepted requests that a rate can be measured with.
	enough = 8
	// minRate is the lowest rate per second. Only probes are slower.
	minRate = 0.3
	// The waits between probes.
	minProbeWait, maxProbeWait = 10 * time.Millisecond, 10 * time.Second
	// randomTime is the time for which refusals are considered random after slowing
	// down did not end them.
	randomTime = 10 * time.Second
)

// limits are the service's limits, as learned from refusals. The package comment
// describes how.
type limits struct {
	most float64 // configured maximum in flight

	inFlight   float64 // limit at inFlightAt; grows with time
	inFlightAt time.Time

	rate      float64 // per second, at countedFrom; grows with time; 0 for none
	slowStart bool    // no refusal has shown yet that the rate is near the limit
	leastRate float64 // a lower rate would not explain the refusals; 0 if not known

	// Requests accepted since the rate was set or, without a rate, since nothing
	// was in flight.
	accepted    int
	countedFrom time.Time

	streak      int       // consecutive refusals
	exhaustedAt time.Time // only probes are sent since then; zero if not exhausted
	probeWait   time.Duration
	nextProbe   time.Time
	randomUntil time.Time
}

func newLimits(maxInFlight int) limits {
	return limits{most: float64(maxInFlight), inFlight: float64(maxInFlight)}
}

func (l *limits) exhausted() bool { return !l.exhaustedAt.IsZero() }

// inFlightLimit exceeds its value after the last refusal by 1 after 1.5 s, and
// by 8 after 3 s.
func (l *limits) inFlightLimit(now time.Time) int {
	if l.exhausted() {
		return 1
	}
	x := now.Sub(l.inFlightAt).Seconds() / 1.5
	return int(min(l.most, l.inFlight+x*x*x))
}

// perSecond returns the rate, or 0 for none. A rate has no use above a million,
// but would soon be infinite.
func (l *limits) perSecond(now time.Time) float64 {
	t := now.Sub(l.countedFrom).Seconds()
	switch {
	case l.rate == 0:
		return 0
	case l.slowStart:
		return min(1e6, l.rate*math.Pow(2, min(4*t, float64(l.accepted))))
	}
	x := t / 5
	return min(1e6, l.rate*math.Exp(x*x*x))
}

// earliest returns the time from which the next request can be sent.
func (l *limits) earliest(now, lastSent time.Time) time.Time {
	switch {
	case l.exhausted():
		return l.nextProbe
	case l.rate == 0:
		return time.Time{}
	}
	return lastSent.Add(time.Duration(float64(time.Second) / l.perSecond(now)))
}

// setRate begins a slow start.
func (l *limits) setRate(now time.Time, rate float64) {
	l.rate, l.slowStart, l.leastRate = max(rate, minRate), true, 0
	l.accepted, l.countedFrom = 0, now
	l.inFlight = l.most
}

// throughput is the number of accepted requests per second.
func (l *limits) throughput(now time.Time) float64 {
	// A coarse clock can return the same time twice.
	return float64(l.accepted) / max(now.Sub(l.countedFrom).Seconds(), 0.001)
}

// idle records that nothing was in flight until now.
func (l *limits) idle(now time.Time) {
	if l.rate == 0 {
		l.accepted, l.countedFrom = 0, now
	}
}

// accept records an accepted request. The first accepted probe ends the time of
// probes. Their last rate is the first one.
func (l *limits) accept(now, sent time.Time) {
	l.accepted++
	l.streak = 0
	if l.exhausted() && sent.After(l.exhaustedAt) {
		l.setRate(now, 1/(l.probeWait+now.Sub(sent)).Seconds())
		l.accepted = 1
		l.exhaustedAt = time.Time{}
	}
}

// refuse records a refused request. alone reports that no other request was in
// flight.
func (l *limits) refuse(now, sent time.Time, alone bool) {
	l.streak++
	switch {
	case l.exhausted():
		if sent.After(l.exhaustedAt) {
			l.waitForProbe(now, min(l.probeWait*3/2, maxProbeWait))
		}
	case l.streak >= exhausting:
		l.exhaustedAt, l.rate = now, 0
		l.waitForProbe(now, minProbeWait)
	case l.rate > 0:
		l.slowDown(now, sent)
	case now.Before(l.randomUntil):
	case alone && l.accepted >= enough:
		l.setRate(now, l.throughput(now))
	default:
		l.inFlight, l.inFlightAt = max(1, float64(l.inFlightLimit(now))-1), now
	}
}

// slowDown reduces the rate after a single refusal, unless the request was sent
// before the last reduction.
func (l *limits) slowDown(now, sent time.Time) {
	if sent.Before(l.countedFrom) {
		return
	}
	rate, throughput := l.perSecond(now), l.throughput(now)
	if l.accepted >= enough {
		rate = min(rate, 2*throughput) // While requests wait for retries, the rate says nothing.
	}
	if rate < l.leastRate {
		l.rate, l.randomUntil = 0, now.Add(randomTime)
		return
	}
	if !l.slowStart && l.leastRate == 0 {
		l.leastRate = throughput / 3
	}
	l.rate, l.slowStart = max(0.8*rate, minRate), false
	l.accepted, l.countedFrom = 0, now
}

// waitForProbe sets a random time, so that clients that share a limit do not
// resume at the same time.
func (l *limits) waitForProbe(now time.Time, wait time.Duration) {
	l.probeWait = wait
	l.nextProbe = now.Add(wait*3/4 + rand.N(wait/2)) //nolint:gosec // A wait is not a secret.
}
