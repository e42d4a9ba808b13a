// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing

import (
	"math"
	"math/rand/v2"
	"time"
)

const (
	// exhausting is the number of consecutive refusals that show an exhausted rate
	// limit. Random refusals rarely cause so many. exhaustingAgain suffices shortly
	// after sending was resumed.
	exhausting, exhaustingAgain = 10, 4
	// enough is the number of accepted requests that a measured rate is based on.
	enough = 8
	// margin keeps a measured rate below the limit.
	margin = 0.95
	// minRate limits every rate, and minFirstRate the first one. A limit without a
	// measurement can be a window of which nothing was left, with a high rate.
	minRate, minFirstRate = 0.1, 4
	// maxProbeWait limits the wait between two probes.
	maxProbeWait = 10 * time.Second
	// randomTime is the time for which refusals are considered random after slowing
	// down did not end them.
	randomTime = 30 * time.Second
)

// limits are the service's limits, as learned from refusals. The package comment
// describes how.
type limits struct {
	most           float64 // configured maximum in flight
	firstProbeWait time.Duration

	inFlight   float64 // limit at inFlightAt; grows with time
	inFlightAt time.Time

	rate        float64 // per second, at rateAt; grows with time; 0 for none
	rateAt      time.Time
	accepted    int     // since rateAt
	slowStart   bool    // no refusal has shown yet that the rate is near the limit
	leastRate   float64 // a lower rate would not explain the refusals; 0 if not known
	randomUntil time.Time

	// A measurement counts the requests that were accepted since a refusal.
	measuredFrom time.Time
	measured     int

	streak        int  // consecutive refusals
	exhausted     bool // since measuredFrom; only probes are sent
	probeInFlight bool
	probeWait     time.Duration
	nextProbe     time.Time
}

func newLimits(config Config) limits {
	return limits{
		most: float64(config.MaxInFlight), inFlight: float64(config.MaxInFlight),
		firstProbeWait: max(config.RetryWait/50, 1),
	}
}

// idle records that nothing was in flight until now, so that a measurement
// begins anew.
func (l *limits) idle(now time.Time) {
	if !l.exhausted {
		l.measure(now)
	}
}

func (l *limits) measure(now time.Time) { l.measuredFrom, l.measured = now, 0 }

func (l *limits) measuredRate(now time.Time) float64 {
	return margin * float64(l.measured) / seconds(l.measuredFrom, now)
}

// seconds returns a time to divide by. A coarse clock can return the same time
// twice.
func seconds(from, to time.Time) float64 { return max(to.Sub(from).Seconds(), 0.001) }

// inFlightLimit exceeds its value after the last refusal by 1 after 1.5 s, and
// by 8 after 3 s.
func (l *limits) inFlightLimit(now time.Time) int {
	switch {
	case l.probeInFlight:
		return 0
	case l.exhausted:
		return int(l.most)
	}
	x := now.Sub(l.inFlightAt).Seconds() / 1.5
	return int(min(l.most, l.inFlight+x*x*x))
}

// perSecond returns the rate, or 0 for none.
func (l *limits) perSecond(now time.Time) float64 {
	t, n := now.Sub(l.rateAt).Seconds(), float64(l.accepted)
	switch {
	case l.rate == 0:
		return 0
	case l.slowStart:
		return l.rate * math.Pow(2, min(4*t, n))
	}
	// A low rate grows as slowly as requests are accepted, so that the growth
	// itself causes few refusals.
	x := min(t, n/45+t/10)
	return l.rate * math.Exp(x*x*x/10)
}

// earliest returns the time from which the next request can be sent.
func (l *limits) earliest(now, lastSent time.Time) time.Time {
	switch {
	case l.exhausted:
		return l.nextProbe
	case l.rate == 0:
		return time.Time{}
	}
	// The rate has no use above a million, but its interval would overflow below 0.
	return lastSent.Add(time.Duration(float64(time.Second) / min(l.perSecond(now), 1e6)))
}

func (l *limits) setRate(now time.Time, rate float64, slowStart bool) {
	l.rate, l.rateAt, l.accepted, l.slowStart, l.leastRate = max(rate, minRate), now, 0, slowStart, 0
}

// accept records an accepted request.
func (l *limits) accept(now time.Time, probe bool) {
	l.accepted++
	l.measured++
	l.streak = 0
	if l.exhausted && probe {
		l.resume(now)
	}
}

// refuse records a refused request. only reports that no other request was in
// flight.
func (l *limits) refuse(now, sent time.Time, probe, only bool) {
	l.streak++
	switch {
	case l.exhausted && probe:
		l.waitForProbe(now, min(l.probeWait*3/2, maxProbeWait))
	case l.exhausted:
	case l.streak >= exhausting, l.rate > 0 && l.measured < enough && l.streak >= exhaustingAgain:
		l.exhaust(now)
	case l.rate > 0:
		l.slowDown(now, sent)
	case only:
		// The number in flight is not the reason.
		l.inFlight = l.most
		if l.measured >= enough && now.After(l.randomUntil) {
			l.setRate(now, l.measuredRate(now), true)
			l.measure(now)
		}
	default:
		l.inFlight, l.inFlightAt = max(1, float64(l.inFlightLimit(now))-1), now
	}
}

// slowDown reduces the rate after a single refusal. Requests that were sent
// before the last reduction do not cause another one.
func (l *limits) slowDown(now, sent time.Time) {
	if sent.Before(l.rateAt) || !l.slowStart && l.accepted < enough {
		return
	}
	rate, throughput := l.perSecond(now), float64(l.accepted)/seconds(l.rateAt, now)
	if l.accepted >= enough {
		rate = min(rate, 2*throughput) // While requests wait for retries, the rate says nothing.
	}
	switch least := l.leastRate; {
	case l.slowStart:
		l.setRate(now, 0.7*rate, false)
	case rate < least:
		l.rate, l.randomUntil = 0, now.Add(randomTime)
	default:
		l.setRate(now, 0.85*rate, false)
		if l.leastRate = least; least == 0 {
			l.leastRate = throughput / 2
		}
	}
}

// exhaust stops all requests but probes. The measurement that ends is exact if
// it began when the limit was exhausted before.
func (l *limits) exhaust(now time.Time) {
	if l.rate > 0 {
		l.rate = l.measuredRate(now)
	}
	l.exhausted = true
	l.measure(now)
	l.waitForProbe(now, l.firstProbeWait)
}

// resume ends the time of probes. Without a measurement, the rate is that of a
// single probe.
func (l *limits) resume(now time.Time) {
	rate := l.rate
	if rate == 0 {
		rate = max(minFirstRate, 1/seconds(l.measuredFrom, now))
	}
	l.setRate(now, rate, true)
	l.accepted = 1
	l.inFlight = l.most
	l.exhausted = false
}

// waitForProbe sets a random time, so that clients that share a limit do not
// resume at the same time.
func (l *limits) waitForProbe(now time.Time, wait time.Duration) {
	l.probeWait = wait
	l.nextProbe = now.Add(wait*3/4 + rand.N(wait/2+1)) //nolint:gosec // A wait is not a secret.
}

// forget discards what was learned from refusals that no limit caused.
func (l *limits) forget() {
	*l = limits{most: l.most, inFlight: l.most, firstProbeWait: l.firstProbeWait, probeInFlight: l.probeInFlight}
}
