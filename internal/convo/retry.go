// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Upper bounds of one wait: of the client's own, and of what the service asks
// for with Retry-After.
const (
	maxRetryWait  = 30 * time.Second
	maxRetryAfter = 60 * time.Second
)

// retryPolicy decides which failures are worth another attempt.
//
// It is not go-retryablehttp because a request is done here only when its
// body is read: a GET whose answer breaks off is repeated too, and a 429 holds
// back more than its own request.
type retryPolicy struct {
	max  int
	wait time.Duration
}

// next returns how long to wait before the given attempt (counted from 1) is
// repeated, and whether it is at all.
func (p retryPolicy) next(method string, attempt int, err error) (time.Duration, bool) {
	if attempt > p.max || !repeatable(method, err) {
		return 0, false
	}
	var answer *ResponseError
	if errors.As(err, &answer) && answer.retryAfter > 0 {
		return min(answer.retryAfter, maxRetryAfter), true
	}
	bound := maxRetryWait
	if doublings := attempt - 1; doublings < 16 {
		bound = min(bound, p.wait<<doublings)
	}
	// Full jitter: clients that failed together must not come back together.
	return rand.N(bound + 1), true //nolint:gosec // A wait is no secret.
}

// repeatable says whether a failure may pass and the request may be sent
// again. A 429 was not acted on, whatever the method; after any other failure
// a POST may have been.
func repeatable(method string, err error) bool {
	if statusOf(err) == http.StatusTooManyRequests {
		return true
	}
	if method != http.MethodGet {
		return false
	}
	switch statusOf(err) {
	case http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	var transport *TransportError
	return errors.As(err, &transport) &&
		(transport.Reason == ReasonConnection || transport.Reason == ReasonTimeout)
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

// gate holds back every request of a client until a time. The zero value is
// open.
type gate struct {
	mu    sync.Mutex
	until time.Time
}

// hold closes the gate for at least the given time from now on.
func (g *gate) hold(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(wait); until.After(g.until) {
		g.until = until
	}
}

// wait returns when the gate is open, or with the context's error.
func (g *gate) wait(ctx context.Context) error {
	for {
		g.mu.Lock()
		remaining := time.Until(g.until)
		g.mu.Unlock()
		if remaining <= 0 {
			return nil
		}
		if err := sleep(ctx, remaining); err != nil {
			return err
		}
	}
}

// sleep waits for the duration or until the context ends, whose error it
// returns then.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
