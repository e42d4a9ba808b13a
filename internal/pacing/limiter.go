// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing

import "time"

const (
	// maxGap is the longest time between two requests that is learned. It is short, so
	// that the end of a limit is noticed soon.
	maxGap = 2 * time.Second
	// decreaseFactor reduces a window that was too large. It keeps most of the window,
	// because most of it fits, like CUBIC's 0.7.
	decreaseFactor = 0.8
	// doublingFactor is the part of such a window at which doubling ends, as in TCP,
	// because the limit is near.
	doublingFactor = 0.5
	// requestsPerStep is the number of admitted requests until the window grows by 1. It
	// is large, because a request is throttled each time that the window exceeds the limit.
	requestsPerStep = 100
	// leastRateStep is the least growth of the requests per second with each admitted
	// one, so that a low rate recovers soon, and clients that share a limit get equal parts.
	leastRateStep = 0.1
	// exhaustedFactor reduces the window while nothing is admitted, like TCP's backoff
	// after each timeout.
	exhaustedFactor = 0.5
	// unhelpfulDivisor tells a limit from random throttling. If requests are throttled at
	// a rate below the measured throughput divided by this number, the rate is not the reason.
	unhelpfulDivisor = 3
	// outdatedFactor reduces the measured throughput each time that it showed random
	// throttling, because it may be outdated.
	outdatedFactor = 0.5
	// latencyDivisor smooths the latency, as in TCP.
	latencyDivisor = 8
)

// limiter learns how many requests the service admits at once (the window), as TCP
// learns the capacity of a network: with slow start, additive increase, and
// multiplicative decrease.
//
// A window is a rate multiplied by the latency, so window/latency is the number of
// requests per second. They are sent at even intervals. The window can be less than one
// request, as in Google's Swift, so that the intervals are longer than a request takes.
// In this way, a rate is learned like a number of requests.
type limiter struct {
	configured  float64       // maximum window
	window      float64       // requests that can be in flight
	doubleUntil float64       // the window doubles up to this size
	latency     time.Duration // of requests, smoothed

	reducedAt  time.Time // when the window was last reduced, or restored
	admitted   int       // requests that were admitted since then
	recovered  bool      // one of these was also sent since then
	throughput float64   // highest number of admitted requests per second
}

func newLimiter(maxInFlight int) limiter {
	return limiter{
		configured: float64(maxInFlight),
		window:     float64(maxInFlight),
	}
}

// maxInFlight is the number of requests that can be in flight.
func (l *limiter) maxInFlight() int {
	return max(1, int(l.window))
}

// gap is the time between two requests.
func (l *limiter) gap() time.Duration {
	if l.window >= l.configured {
		return 0
	}
	return min(maxGap, time.Duration(float64(l.latency)/l.window))
}

// admit records an admitted request. It raises the window if the request was sent
// since the last reduction.
func (l *limiter) admit(now, sent time.Time) {
	l.measure(now.Sub(sent))
	l.admitted++
	if !sent.After(l.reducedAt) {
		return
	}
	l.recovered = true
	step := min(1, l.window) // Doubles the window with as many requests as fit into it.
	if l.window >= l.doubleUntil {
		step = max(step/requestsPerStep, leastRateStep*l.latency.Seconds())
	}
	l.window = min(l.configured, l.window+step)
}

// throttle records a throttled request. It reduces the window if the request was
// sent since the last reduction.
func (l *limiter) throttle(now, sent time.Time) {
	if l.latency == 0 {
		l.measure(now.Sub(sent))
	}
	if !sent.After(l.reducedAt) {
		return
	}
	switch {
	case !l.recovered: // The limit is exhausted for some time. The gap becomes maxGap at most.
		l.window = max(
			l.window*exhaustedFactor,
			min(1, l.latency.Seconds()/maxGap.Seconds()),
		)
	case l.window/l.latency.Seconds() < l.throughput/unhelpfulDivisor: // The service throttles at random.
		l.window = l.configured
		l.throughput *= outdatedFactor
	default:
		if l.admitted > 1 && !l.reducedAt.IsZero() {
			l.throughput = max(
				l.throughput,
				float64(l.admitted)/now.Sub(l.reducedAt).Seconds(),
			)
		}
		l.doubleUntil = l.window * doublingFactor
		l.window *= decreaseFactor
	}
	l.reducedAt = now
	l.admitted = 0
	l.recovered = false
}

func (l *limiter) measure(latency time.Duration) {
	if l.latency == 0 {
		l.latency = latency
	}
	l.latency += (latency - l.latency) / latencyDivisor
}
