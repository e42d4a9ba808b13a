// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Upper bounds of one wait: of the client's own, of what the service asks for
// with Retry-After, and of a refused request's while others get through.
const (
	maxRetryWait   = 30 * time.Second
	maxRetryAfter  = 60 * time.Second
	maxRefusedWait = 2 * time.Second
)

// maxRefusals bounds the attempts at a request that is refused while others get
// through, and patience the time in which none does. Even where half of all
// requests are refused at random, 20 refusals of the same are one in a million;
// and most limits of the kind of one window are by the minute.
const (
	maxRefusals = 20
	patience    = 100 * time.Second
)

// retryPolicy decides which failures are worth another attempt.
//
// It is not go-retryablehttp because a request is done here only when its body
// is read: a GET whose response breaks off is retried too.
type retryPolicy struct {
	max  int
	wait time.Duration
}

// tries is what became of a request's attempts so far.
type tries struct {
	counted  int // against the retries
	refusals int
}

// next returns how long to wait before a request is retried, and whether it is
// at all. A refusal counts against the retries only if no other request gets
// through: it is the fault of all of them together.
func (p retryPolicy) next(method string, t *tries, err error, r refusal) (time.Duration, bool) {
	if p.max <= 0 || !repeatable(method, err) {
		return 0, false
	}
	refused := outcomeOf(err) == outcomeRefused
	var wait time.Duration
	switch {
	case refused && r.recent:
		t.refusals++
		if t.refusals > max(maxRefusals, p.max) {
			return 0, false
		}
		wait = jitter(p.wait/8, t.refusals, maxRefusedWait)
	default:
		t.counted++
		if t.counted > p.max {
			return 0, false
		}
		wait = jitter(p.wait, t.counted, maxRetryWait)
	}
	if after := min(retryAfterOf(err), maxRetryAfter); after > 0 {
		wait = after + jitter(after/10, 1, maxRetryAfter-after)
	}
	if refused && (r.hopeless || !r.recent && r.quiet+wait > patience) {
		return 0, false
	}
	return wait, true
}

// jitter is a random wait below a bound that doubles with each attempt: clients
// that failed together must not come back together.
func jitter(wait time.Duration, attempt int, most time.Duration) time.Duration {
	if doublings := attempt - 1; doublings < 16 {
		most = min(most, wait<<doublings)
	}
	return rand.N(most + 1) //nolint:gosec // A wait is no secret.
}

// outcomeOf says what the error of an attempt shows of limits. A 503 is about
// them only if it comes with the time to wait.
func outcomeOf(err error) outcome {
	status := statusOf(err)
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && retryAfterOf(err) > 0:
		return outcomeRefused
	case err == nil, status > 0 && status < 500:
		return outcomePassed
	}
	return outcomeUnknown
}

// retryAfterOf is how long the service asks to wait, 0 if it does not.
func retryAfterOf(err error) time.Duration {
	var response *ResponseError
	if errors.As(err, &response) {
		return response.retryAfter
	}
	return 0
}

// repeatable says whether a failure may pass and the request may be retried. A
// 429 was not acted on, whatever the method; after any other failure a POST may
// have been, unless no byte of it was sent.
func repeatable(method string, err error) bool {
	status := statusOf(err)
	if status == http.StatusTooManyRequests {
		return true
	}
	var transport *TransportError
	if errors.As(err, &transport) {
		passing := transport.Reason == ReasonConnection || transport.Reason == ReasonTimeout
		return passing && (method == http.MethodGet || transport.NotSent)
	}
	switch status {
	case http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return method == http.MethodGet
	}
	return false
}

// parseRetryAfter reads a Retry-After header, in seconds or as an HTTP date;
// 0 means that there is none that makes sense.
func parseRetryAfter(header string, now time.Time) time.Duration {
	// Out of range, ParseUint returns the largest value: still a time to wait.
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
