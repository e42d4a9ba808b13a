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

// Upper bounds of one wait: the client's own, the service's (Retry-After), and
// that of a refused request while others succeed.
const (
	maxRetryWait   = 30 * time.Second
	maxRetryAfter  = 60 * time.Second
	maxRefusedWait = 2 * time.Second
)

// maxRefusals limits the attempts at a request that is refused while others
// succeed, and patience limits the time in which none succeeds. Even if half of
// all requests are refused at random, the probability of 20 refusals of the
// same request is one in a million. Most fixed windows last one minute.
const (
	maxRefusals = 20
	patience    = 100 * time.Second
)

// retryPolicy decides which failures are retried.
//
// go-retryablehttp is not used because it considers a request complete before
// its body is read. Here, a GET with an incomplete response is retried, too.
type retryPolicy struct {
	max  int
	wait time.Duration
}

// tries counts a request's attempts.
type tries struct {
	counted  int // against max
	refusals int
}

// next returns the wait before a retry, and whether the request is retried. A
// refusal counts against max only if no other request succeeds, because all
// requests together cause it.
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

// jitter returns a random wait below a bound that doubles with each attempt, so
// that clients that failed at the same time do not retry at the same time.
func jitter(wait time.Duration, attempt int, most time.Duration) time.Duration {
	if doublings := attempt - 1; doublings < 16 {
		most = min(most, wait<<doublings)
	}
	return rand.N(most + 1) //nolint:gosec // A wait is not a secret.
}

// outcomeOf classifies the error of an attempt for the limiter. A 503 counts as
// a refusal only with a Retry-After header.
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

// retryAfterOf returns the wait that the service requests, or 0.
func retryAfterOf(err error) time.Duration {
	var response *ResponseError
	if errors.As(err, &response) {
		return response.retryAfter
	}
	return 0
}

// repeatable reports whether a failure can be temporary and the request can be
// retried safely. A 429 has no effect, whatever the method. After any other
// failure, a POST may have taken effect unless no byte of it was sent.
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

// parseRetryAfter reads a Retry-After header, in seconds or as an HTTP date; it
// returns 0 for a missing or invalid header.
func parseRetryAfter(header string, now time.Time) time.Duration {
	// For a value out of range, ParseUint returns the largest one, which is
	// usable.
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
