// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// TestServiceThatThrottlesEverything ends each request within two minutes, and all
// of many requests with few attempts.
func TestServiceThatThrottlesEverything(t *testing.T) {
	t.Parallel()
	for _, retryAfter := range []time.Duration{0, time.Minute, time.Hour} {
		for _, parallelism := range []int{1, 100} {
			synctest.Test(t, func(t *testing.T) {
				p, attempts, begin := pacing.New(defaults()), atomic.Int64{}, time.Now()
				concurrently(parallelism, 100, func(i int) {
					begin := time.Now()
					do(t.Context(), p, "agent", func() pacing.Result { attempts.Add(1); return throttled(retryAfter) })
					if took := time.Since(begin); took > 2*time.Minute {
						t.Errorf("Retry-After %s, %d at once: request %d took %s", retryAfter, parallelism, i, took)
					}
				})
				if took := time.Since(begin); took > 4*time.Minute || attempts.Load() > 600 {
					t.Errorf("Retry-After %s, %d at once: %d attempts took %s", retryAfter, parallelism, attempts.Load(), took)
				}
			})
		}
	}
}

// TestThrottledOperation: the requests of other operations are admitted meanwhile, and soon
// without waits, also if there are no retries.
func TestThrottledOperation(t *testing.T) {
	t.Parallel()
	for _, retries := range []int{0, 4} {
		synctest.Test(t, func(t *testing.T) {
			config := defaults()
			config.MaxRetries = retries
			p, attempts, begin := pacing.New(config), atomic.Int64{}, time.Now()
			concurrently(16, 2000, func(i int) {
				operation := []string{"agent", "statistics"}[i%2]
				admitted := do(t.Context(), p, operation, func() pacing.Result {
					time.Sleep(3 * time.Millisecond)
					attempts.Add(1)
					if operation == "agent" {
						return pacing.Result{Outcome: pacing.Admitted}
					}
					return throttled(0)
				})
				if admitted != (operation == "agent") {
					t.Errorf("request %d: admitted %t", i, admitted)
				}
			})
			if took := time.Since(begin); took > 3*time.Minute || attempts.Load() > 1000+16*21+1000 {
				t.Errorf("%d retries: %d attempts took %s", retries, attempts.Load(), took)
			}
		})
	}
}

// TestThrottledObject: one object that is throttled permanently costs neither the
// others' time nor their retries.
func TestThrottledObject(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, attempts, begin := pacing.New(defaults()), atomic.Int64{}, time.Now()
		var others atomic.Int64
		concurrently(16, 1000, func(i int) {
			admitted := do(t.Context(), p, "agent", func() pacing.Result {
				time.Sleep(3 * time.Millisecond)
				if i == 7 {
					attempts.Add(1)
					return throttled(time.Second)
				}
				others.Store(int64(time.Since(begin)))
				return pacing.Result{Outcome: pacing.Admitted}
			})
			if admitted != (i != 7) {
				t.Errorf("request %d: admitted %t", i, admitted)
			}
		})
		if took := time.Duration(others.Load()); took > time.Second || time.Since(begin) > 2*time.Minute || attempts.Load() > 60 {
			t.Errorf("the others took %s, all %s, with %d throttled requests", took, time.Since(begin), attempts.Load())
		}
	})
}

// TestThrottledObjects: several objects that are throttled permanently end no retries of others,
// because requests are admitted in between.
func TestThrottledObjects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, attempts := pacing.New(defaults()), 0
		for range 4 {
			do(t.Context(), p, "agent", func() pacing.Result { return pacing.Result{Outcome: pacing.Admitted} })
			attempts = 0
			do(t.Context(), p, "agent", func() pacing.Result {
				attempts++
				return throttled(0)
			})
		}
		if attempts < 2 {
			t.Errorf("%d attempts at the last object", attempts)
		}
	})
}

// TestThrottledAttemptsThatCount: a throttled attempt counts as a retry unless the
// service admitted a request in the last 100 seconds. Without retries, none is made.
func TestThrottledAttemptsThatCount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		other             pacing.Outcome
		ago               time.Duration
		retries, attempts int
	}{
		{pacing.Admitted, 0, 1, 4},
		{pacing.Admitted, 95 * time.Second, 1, 4},
		{pacing.Admitted, 100 * time.Second, 1, 2},
		{pacing.Failed, 0, 1, 2},
		{pacing.Throttled, 0, 1, 2},
		{pacing.Admitted, 0, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, attempts := pacing.New(pacing.Config{MaxInFlight: 16, MaxRetries: test.retries, RetryWait: 500 * time.Millisecond}), 0
			do(t.Context(), p, "agent", func() pacing.Result { return pacing.Result{Outcome: test.other} })
			time.Sleep(test.ago)
			do(t.Context(), p, "statistics", func() pacing.Result {
				if attempts++; attempts < 4 {
					return throttled(0)
				}
				return pacing.Result{Outcome: pacing.Admitted}
			})
			if attempts != test.attempts {
				t.Errorf("outcome %d, %s ago: got %d attempts, want %d", test.other, test.ago, attempts, test.attempts)
			}
		})
	}
}

// TestFailureDuringRetries: a permanent failure does not wait for the retries of
// other requests.
func TestFailureDuringRetries(t *testing.T) {
	t.Parallel()
	for _, outcome := range []pacing.Outcome{pacing.Failed, pacing.Throttled} {
		synctest.Test(t, func(t *testing.T) {
			p, begin := pacing.New(pacing.Config{MaxInFlight: 1, MaxRetries: 4, RetryWait: time.Second}), time.Now()
			var group sync.WaitGroup
			for range 10 {
				group.Go(func() {
					do(t.Context(), p, "agent", func() pacing.Result {
						return pacing.Result{Outcome: outcome, Retryable: true, RetryAfter: time.Minute}
					})
				})
			}
			time.Sleep(30 * time.Second)
			sent := time.Now()
			do(t.Context(), p, "members", func() pacing.Result { return pacing.Result{Outcome: pacing.Failed} })
			if took := time.Since(sent); took > 2*time.Second {
				t.Errorf("outcome %d: the failure took %s", outcome, took)
			}
			group.Wait()
			if took := time.Since(begin); took < time.Minute {
				t.Errorf("outcome %d: the other requests took %s", outcome, took)
			}
		})
	}
}

// TestRetries counts the attempts at a request that is never admitted, and
// bounds the waits between them.
func TestRetries(t *testing.T) {
	t.Parallel()
	const second = time.Second
	failure := pacing.Result{Outcome: pacing.Failed, Retryable: true}
	unavailable := pacing.Result{Outcome: pacing.Unavailable, Retryable: true}
	disconnected := pacing.Result{Outcome: pacing.Disconnected, Retryable: true}
	later := func(result pacing.Result, after time.Duration) pacing.Result {
		result.RetryAfter = after
		return result
	}
	tests := map[string]struct {
		config      pacing.Config
		result      pacing.Result
		attempts    int
		least, most time.Duration // of all waits
	}{
		"failure":                     {defaults(), failure, 5, 0, 7500 * time.Millisecond},
		"unavailable":                 {defaults(), unavailable, 5, 30 * second, 41 * second},
		"disconnected from the start": {defaults(), disconnected, 5, 0, 7500 * time.Millisecond},
		"failure, Retry-After":        {defaults(), later(failure, 10*second), 5, 40 * second, 44 * second},
		"failure, too long":           {defaults(), later(failure, pacing.LongestWait+1), 1, 0, 0},
		"throttled, longest":          {defaults(), throttled(pacing.LongestWait), 2, 60 * second, 66 * second},
		"throttled, too long":         {defaults(), throttled(pacing.LongestWait + 1), 1, 0, 0},
		"failure, no retries":         {pacing.Config{MaxInFlight: 1}, failure, 1, 0, 0},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			attempts, begin := 0, time.Now()
			do(t.Context(), pacing.New(test.config), "agent", func() pacing.Result { attempts++; return test.result })
			if took := time.Since(begin); attempts != test.attempts || took < test.least || took > test.most {
				t.Errorf("%s: got %d attempts in %s, want %d in %s to %s", name, attempts, took, test.attempts, test.least, test.most)
			}
		})
	}
}

// TestOutages: a service that is down for half a minute costs no request of an audit, also at
// its beginning or end. Only a service that was never reached is not waited for.
func TestOutages(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for _, test := range []struct {
		outcome pacing.Outcome
		begin   time.Duration // The audit takes 380 ms.
	}{
		{pacing.Unavailable, 0},
		{pacing.Unavailable, 190 * time.Millisecond},
		{pacing.Unavailable, 375 * time.Millisecond},
		{pacing.Disconnected, 190 * time.Millisecond},
		{pacing.Disconnected, 375 * time.Millisecond},
	} {
		for length, most := range map[time.Duration]time.Duration{5 * second: 12 * second, 10 * second: 42 * second, 30 * second: 42 * second} {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				s := &service{limit: random(0), outage: test.outcome, downFrom: start.Add(test.begin), downUntil: start.Add(test.begin + length)}
				failed := audit(t.Context(), pacing.New(defaults()), s, 2000)
				if took := time.Since(start); failed > 0 || took > most {
					t.Errorf("outcome %d for %s from %s: %d requests failed, took %s", test.outcome, length, test.begin, failed, took)
				}
			})
		}
	}
}

// TestUnavailableObject: a request that a gateway always refuses is given up soon while the
// service admits others.
func TestUnavailableObject(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, begin := pacing.New(defaults()), time.Now()
		var took time.Duration
		concurrently(2, 2, func(i int) {
			if i == 0 {
				do(t.Context(), p, "agent", func() pacing.Result {
					time.Sleep(3 * time.Millisecond)
					return pacing.Result{Outcome: pacing.Unavailable, Retryable: true}
				})
				took = time.Since(begin)
				return
			}
			for range 10_000 {
				do(t.Context(), p, "agent", func() pacing.Result {
					time.Sleep(time.Millisecond)
					return pacing.Result{Outcome: pacing.Admitted}
				})
			}
		})
		if took > 8*time.Second {
			t.Errorf("the request took %s", took)
		}
	})
}

// TestBackoff holds that the wait before a retry is random, and up to 30 seconds.
func TestBackoff(t *testing.T) {
	t.Parallel()
	p := pacing.New(pacing.Config{MaxInFlight: 1, MaxRetries: 1, RetryWait: time.Hour})
	shortest, longest := time.Hour, time.Duration(0)
	for range 1000 {
		r := &pacing.Request{Operation: "agent"}
		if err := p.Acquire(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		wait, _ := p.Release(r, pacing.Result{Outcome: pacing.Failed, Retryable: true})
		shortest, longest = min(shortest, wait), max(longest, wait)
	}
	if shortest > time.Second || longest < 29*time.Second || longest > 30*time.Second {
		t.Errorf("1,000 waits are %s to %s", shortest, longest)
	}
}
