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
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// service simulates a service with a limit. Each request takes 3 ms.
type service struct {
	mu                sync.Mutex
	limit             limit
	retryAfter        bool
	accepted, refused int
}

// limit decides on a request. wait is the time until the next can be accepted.
// The function is called twice for each accepted request: at its start and, with
// end set, at its end.
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
		result := pacing.Result{Outcome: pacing.Refused, Retryable: true}
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

func random(share float64) limit {
	return func(time.Time, bool) (time.Duration, bool) { return 0, rand.Float64() >= share }
}

// do sends a request until it is accepted or not retried.
func do(ctx context.Context, p *pacing.Pacer, s *service, operation, object string) bool {
	r := &pacing.Request{Operation: operation, Object: object}
	for {
		if _, err := p.Acquire(ctx, r); err != nil {
			return false
		}
		result := s.send()
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

func defaults() pacing.Config {
	return pacing.Config{MaxInFlight: 16, MaxRetries: 4, RetryWait: 500 * time.Millisecond}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	const second = time.Second
	tests := map[string]struct {
		requests   int
		limit      func() limit
		retryAfter bool
		most       time.Duration
		refused    float64 // percentage
	}{
		"no limit":                     {2003, func() limit { return inFlight(16) }, false, 400 * time.Millisecond, 0},
		"100/s, burst 50":              {2003, func() limit { return bucket(100, 50) }, false, 26 * second, 10},
		"100/s, burst 50, Retry-After": {2003, func() limit { return bucket(100, 50) }, true, 30 * second, 10},
		"500 in 5 s":                   {2003, func() limit { return window(500, 5*second) }, false, 30 * second, 25},
		"500 in 5 s, Retry-After":      {2003, func() limit { return window(500, 5*second) }, true, 27 * second, 10},
		"4 in flight":                  {2003, func() limit { return inFlight(4) }, false, 8 * second, 10},
		"a third at random":            {2003, func() limit { return random(1. / 3) }, false, 20 * second, 40},
		"a tenth at random":            {2003, func() limit { return random(.1) }, false, 20 * second, 15},
		"half at random":               {2003, func() limit { return random(.5) }, false, 30 * second, 60},
		"222/s, burst 10":              {2003, func() limit { return bucket(222, 10) }, false, 14 * second, 10},
		"1,000/s, burst 10":            {2003, func() limit { return bucket(1000, 10) }, false, 4 * second, 10},
		"1 in flight":                  {403, func() limit { return inFlight(1) }, false, 5 * second, 20},
		"10/s, burst 10":               {403, func() limit { return bucket(10, 10) }, false, 62 * second, 20},
		"10/s, burst 10, Retry-After":  {403, func() limit { return bucket(10, 10) }, true, 62 * second, 20},
		"50/s, burst 10":               {403, func() limit { return bucket(50, 10) }, false, 14800 * time.Millisecond, 20},
		"50/s, burst 10, Retry-After":  {403, func() limit { return bucket(50, 10) }, true, 14800 * time.Millisecond, 20},
		"50/s, burst 1":                {403, func() limit { return bucket(50, 1) }, false, 15 * second, 10},
		"50/s, burst 1, Retry-After":   {403, func() limit { return bucket(50, 1) }, true, 15 * second, 10},
		"100 a minute":                 {203, func() limit { return window(100, time.Minute) }, false, 150 * second, 40},
		"100 a minute, Retry-After":    {203, func() limit { return window(100, time.Minute) }, true, 150 * second, 25},
		"2/s, burst 1":                 {103, func() limit { return bucket(2, 1) }, false, 90 * second, 45},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 8 {
				synctest.Test(t, func(t *testing.T) {
					s := &service{limit: test.limit(), retryAfter: test.retryAfter}
					p := pacing.New(defaults())
					begin := time.Now()
					concurrently(3, 3, func(i int) { do(t.Context(), p, s, fmt.Sprint("operation ", i), "") })
					concurrently(16, test.requests-3, func(i int) {
						if !do(t.Context(), p, s, fmt.Sprint("read ", i%2), fmt.Sprint(i)) {
							t.Errorf("request %d failed", i)
						}
					})
					took, share := time.Since(begin), 100*float64(s.refused)/float64(s.accepted+s.refused)
					bad := ""
					if took > test.most || share > test.refused {
						bad = "BAD"
					}
					t.Logf("%-32s took %6.2f s; %4d (%4.1f %%) %s", name, took.Seconds(), s.refused, share, bad)
				})
			}
		})
	}
}
