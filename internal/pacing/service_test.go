// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// service simulates a service with a limit. Each request takes 3 ms.
type service struct {
	mu                sync.Mutex
	limit             limit
	retryAfter        bool // refusals state a wait, in whole seconds
	accepted, refused int
}

// limit decides on a request. wait is the time until the next can be accepted.
// It is called again, with end set, at the end of each accepted request.
type limit func(now time.Time, end bool) (wait time.Duration, accepted bool)

// send is one attempt.
func (s *service) send() pacing.Result {
	s.mu.Lock()
	wait, ok := s.limit(time.Now(), false)
	s.mu.Unlock()
	time.Sleep(3 * time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !ok {
		s.refused++
		result := pacing.Result{Outcome: pacing.Throttled, Retryable: true}
		if s.retryAfter {
			result.RetryAfter = time.Duration(math.Ceil(wait.Seconds())) * time.Second
		}
		return result
	}
	s.limit(time.Now(), true)
	s.accepted++
	return pacing.Result{Outcome: pacing.Accepted}
}

// bucket has burst tokens, and receives perSecond.
func bucket(perSecond, burst float64) limit {
	tokens, filled := burst, time.Time{}
	return func(now time.Time, end bool) (time.Duration, bool) {
		if end {
			return 0, true
		}
		if !filled.IsZero() {
			tokens = min(burst, tokens+perSecond*now.Sub(filled).Seconds())
		}
		filled = now
		if missing := 1 - tokens; missing > 1e-9 {
			return time.Duration(missing / perSecond * float64(time.Second)), false
		}
		tokens--
		return 0, true
	}
}

// window accepts count requests in each interval of the given length.
func window(count int, length time.Duration) limit {
	used, begin := 0, time.Time{}
	return func(now time.Time, end bool) (time.Duration, bool) {
		if end {
			return 0, true
		}
		if begin.IsZero() {
			begin = now
		}
		if passed := now.Sub(begin); passed >= length {
			begin, used = now.Add(-passed%length), 0
		}
		if used >= count {
			return begin.Add(length).Sub(now), false
		}
		used++
		return 0, true
	}
}

// inFlight accepts requests while fewer than most are being served.
func inFlight(most int) limit {
	running := 0
	return func(_ time.Time, end bool) (time.Duration, bool) {
		switch {
		case end:
			running--
		case running >= most:
			return 0, false
		default:
			running++
		}
		return 0, true
	}
}

// random refuses a share of the requests.
func random(share float64) limit {
	return func(time.Time, bool) (time.Duration, bool) { return 0, rand.Float64() >= share } //nolint:gosec // A simulation.
}

// do makes attempts at a request until it is not retried, and reports whether
// the last one was accepted.
func do(ctx context.Context, p *pacing.Pacer, operation string, attempt func() pacing.Result) bool {
	r := &pacing.Request{Operation: operation}
	for {
		if err := p.Acquire(ctx, r); err != nil {
			return false
		}
		result := attempt()
		if _, retry := p.Release(r, result); !retry {
			return result.Outcome == pacing.Accepted
		}
	}
}

// concurrently runs n tasks, at most so many at once.
func concurrently(most, n int, task func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range most {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				task(int(i))
			}
		})
	}
	group.Wait()
}

// refusal is the result of a refused request.
func refusal(retryAfter time.Duration) pacing.Result {
	return pacing.Result{Outcome: pacing.Throttled, Retryable: true, RetryAfter: retryAfter}
}

// defaults is the provider's configuration unless the user changes it.
func defaults() pacing.Config {
	return pacing.Config{MaxInFlight: 16, MaxRetries: 4, RetryWait: 500 * time.Millisecond}
}

// audit sends the requests of an audit: three, and then so many more of two
// operations. It returns the number of those that failed.
func audit(ctx context.Context, p *pacing.Pacer, s *service, requests int) int64 {
	var failed atomic.Int64
	send := func(operation string) {
		if !do(ctx, p, operation, s.send) {
			failed.Add(1)
		}
	}
	concurrently(3, 3, func(i int) { send(fmt.Sprint("operation ", i)) })
	concurrently(16, requests, func(i int) { send([]string{"agent", "statistics"}[i%2]) })
	return failed.Load()
}
