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

// Upper bounds of a request's own wait: in general, and after a refusal while
// others are accepted.
const (
	maxBackoff        = 30 * time.Second
	maxRefusedBackoff = 2 * time.Second
)

const (
	// recently is the time for which an accepted request indicates that others can
	// be accepted.
	recently = time.Minute
	// maxRefusals limits the attempts at a request that is refused while others are
	// accepted. Even if half of all requests are refused at random, the probability
	// of 20 refusals of the same request is one in a million.
	maxRefusals = 20
	// maxRefusedTime limits the time in which every request of an operation is
	// refused. Most windows last one minute.
	maxRefusedTime = 100 * time.Second
	// maxGivenUp is the number of objects that must be given up before a whole
	// operation is.
	maxGivenUp = 3
	// givenUpTime is the time after which an object is tried again. It exceeds the
	// time until a request is given up.
	givenUpTime = 3 * time.Minute
)

// retry returns whether a request is sent again, and the wait before that.
func (p *Pacer) retry(r *Request, o *operation, result Result, now time.Time) (time.Duration, bool) {
	var wait time.Duration
	othersAccepted := now.Sub(p.acceptedAt) < recently
	if result.Outcome == Refused && othersAccepted {
		if r.refusals > max(maxRefusals, p.config.MaxRetries) {
			return 0, false
		}
		wait = backoff(p.config.RetryWait/8, r.refusals, maxRefusedBackoff)
	} else {
		r.retries++
		if r.retries > p.config.MaxRetries {
			return 0, false
		}
		wait = backoff(p.config.RetryWait, r.retries, maxBackoff)
	}
	if after := result.RetryAfter; after > 0 {
		wait = after + backoff(after/10, 1, maxBackoff)
	}
	tooLate := result.Outcome == Refused && now.Add(wait).Sub(latest(r.queued, o.acceptedAt)) > maxRefusedTime
	return wait, result.RetryAfter <= LongestWait && !tooLate
}

// backoff returns a random wait below a bound that doubles with each attempt, so
// that clients that failed at the same time do not retry at the same time.
func backoff(wait time.Duration, attempt int, most time.Duration) time.Duration {
	if doublings := attempt - 1; doublings < 16 {
		most = min(most, wait<<doublings)
	}
	return rand.N(most + 1) //nolint:gosec // A wait is not a secret.
}

// operation is what is known about the objects of an operation.
type operation struct {
	acceptedAt time.Time
	// objects were refused until their last attempt, and none of the operation was
	// accepted since then.
	objects   map[string]bool
	givenUpAt time.Time
}

func (o *operation) accept(now time.Time) { o.acceptedAt, o.objects = now, nil }

// givenUp reports whether a refusal of the object's request is permanent.
func (o *operation) givenUp(object string, now time.Time) bool {
	if now.Sub(o.givenUpAt) >= givenUpTime {
		o.objects = nil
	}
	return o.objects[object] || len(o.objects) >= maxGivenUp
}

func (o *operation) giveUp(object string, now time.Time) {
	if o.objects == nil {
		o.objects = map[string]bool{}
	}
	o.objects[object], o.givenUpAt = true, now
}
