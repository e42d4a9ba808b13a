// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing

import (
	"math/rand/v2"
	"time"
)

// LongestWait is the longest wait before a retry that a service can require. A
// request that would have to wait longer ends.
const LongestWait = time.Minute

const (
	// maxBackoff is the longest wait of a request's own. While others are accepted,
	// a throttled one need not wait long.
	maxBackoff, maxThrottledBackoff = 30 * time.Second, 2 * time.Second
	// maxThrottled is the number of retries of a request that is throttled while
	// others are accepted. If half of all requests are throttled at random, one in
	// two million reaches it.
	maxThrottled = 20
	// maxThrottledTime is the time for which every request of an operation can be
	// throttled. Most windows last one minute.
	maxThrottledTime = 100 * time.Second
	// maxGivenUp is the number of requests that open a circuit breaker. A single
	// object can be throttled permanently.
	maxGivenUp = 3
)

// breaker is the circuit breaker of one operation. While it is open, throttled
// requests are not retried. An accepted request closes it.
type breaker struct {
	acceptedAt  time.Time // last
	throttledAt time.Time // first since then
	givenUp     int       // requests since then, throttled until their last attempt
}

func (b *breaker) open() bool { return b.givenUp >= maxGivenUp }

// retry decides whether a request that can be retried is sent again after an
// attempt, and the wait before that.
func (p *Pacer) retry(r *Request, b *breaker, result Result, now time.Time) (wait time.Duration, retry bool) {
	throttled := result.Outcome == Throttled
	if othersAccepted := now.Sub(p.acceptedAt) < time.Minute; throttled && othersAccepted {
		if r.throttled > maxThrottled {
			return 0, false
		}
		wait = backoff(p.config.RetryWait/8, r.throttled, maxThrottledBackoff)
	} else {
		r.retries++
		if r.retries > p.config.MaxRetries {
			return 0, false
		}
		wait = backoff(p.config.RetryWait, r.retries, maxBackoff)
	}
	if result.RetryAfter > 0 {
		wait = result.RetryAfter
	}
	if throttled && now.Add(wait).Sub(latest(r.queued, b.throttledAt)) > maxThrottledTime {
		return 0, false
	}
	return wait, true
}

// backoff returns a random wait below a bound that doubles with each attempt, so
// that clients that failed at the same time do not retry at the same time.
func backoff(wait time.Duration, attempt int, most time.Duration) time.Duration {
	if doublings := attempt - 1; doublings < 16 {
		most = min(most, wait<<doublings)
	}
	return rand.N(most + 1) //nolint:gosec // A wait is not a secret.
}
