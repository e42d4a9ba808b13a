// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// limitTest is a limit of the service, and what audits take with it.
type limitTest struct {
	requests   int // of each audit
	limit      func() limit
	retryAfter bool
	most       time.Duration
	throttled  float64 // of all requests, in percent
}

// expect has as many clients audit at the same time, with one quota. Waits are random, so the best of
// three runs counts.
func (l limitTest) expect(t *testing.T, clients int) {
	t.Helper()
	var took time.Duration
	var share float64
	for range 3 {
		synctest.Test(t, func(t *testing.T) {
			s := &service{limit: l.limit(), retryAfter: l.retryAfter}
			begin := time.Now()
			concurrently(clients, clients, func(int) {
				if failed := audit(t.Context(), pacing.New(defaults()), s, l.requests); failed > 0 {
					t.Errorf("%d requests failed", failed)
				}
			})
			took, share = time.Since(begin), 100*float64(s.throttled)/float64(s.admitted+s.throttled)
			t.Logf("took %s; %.1f %% of the requests were throttled", took, share)
		})
		if took <= l.most && share <= l.throttled {
			return
		}
	}
	t.Errorf("took %s with %.1f %% throttled, want at most %s and %.0f %%", took, share, l.most, l.throttled)
}

// TestLimits holds the times and the shares of throttled requests for the default
// configuration.
func TestLimits(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for name, test := range map[string]limitTest{
		"no limit":                     {2000, func() limit { return inFlight(16) }, false, 400 * time.Millisecond, 0},
		"100/s, burst 50, Retry-After": {2000, func() limit { return bucket(100, 50) }, true, 24 * second, 10},
		"500 in 5 s, Retry-After":      {2000, func() limit { return window(500, 5*second) }, true, 24 * second, 10},
		"4 in flight":                  {2000, func() limit { return inFlight(4) }, false, 4 * second, 10},
		"1 in flight":                  {400, func() limit { return inFlight(1) }, false, 4 * second, 20},
		"10/s, burst 10":               {400, func() limit { return bucket(10, 10) }, false, 44 * second, 20},
		"50/s, burst 1":                {400, func() limit { return bucket(50, 1) }, false, 12 * second, 15},
		"100 a minute":                 {200, func() limit { return window(100, time.Minute) }, false, 140 * second, 40},
		"2/s, burst 1":                 {100, func() limit { return bucket(2, 1) }, false, 85 * second, 45},
		"100/s, 20/s from 5 s":         {1000, func() limit { return until(5*second, bucket(100, 10), bucket(20, 10)) }, false, 32 * second, 20},
		"10/s, lifted after 20 s":      {5000, func() limit { return until(20*second, bucket(10, 1), unlimited) }, false, 35 * second, 5},
		"2/s, lifted after 20 s":       {5000, func() limit { return until(20*second, bucket(2, 1), unlimited) }, false, 55 * second, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.expect(t, 1)
		})
	}
}

// TestLimitWithoutRetries: without retries, only what exceeds the limit while it is learned fails.
func TestLimitWithoutRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := defaults()
		config.MaxRetries = 0
		s := &service{limit: bucket(100, 50)}
		if failed := audit(t.Context(), pacing.New(config), s, 2000); failed > 400 {
			t.Errorf("%d of 2000 requests failed", failed)
		}
	})
}

// TestSharedLimit has several clients with one quota: all requests are admitted.
func TestSharedLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]limitTest{
		"bucket, Retry-After": {400, func() limit { return bucket(50, 10) }, true, time.Minute, 30},             // 24 s is ideal
		"window":              {400, func() limit { return window(250, 5*time.Second) }, true, time.Minute, 20}, // 20 s is ideal
		"in flight":           {400, func() limit { return inFlight(4) }, false, 30 * time.Second, 20},          // 1 s is ideal
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.expect(t, 3)
		})
	}
}

// TestQuotaThatIsUsedUp: the plan before has used up the minute's quota, so that nothing is
// admitted at first.
func TestQuotaThatIsUsedUp(t *testing.T) {
	t.Parallel()
	for _, requests := range []int{0, 60} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{limit: until(time.Minute, window(0, time.Hour), window(100, time.Minute))}
			begin := time.Now()
			failures := audit(t.Context(), pacing.New(defaults()), s, requests)
			if took := time.Since(begin); failures > 0 || took > 70*time.Second {
				t.Errorf("%d requests failed, took %s", failures, took)
			}
		})
	}
}

// TestMaxPerSecond holds the configured rate, retries included.
func TestMaxPerSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := defaults()
		config.MaxPerSecond = 4
		p, begin := pacing.New(config), time.Now()
		var sent atomic.Int64
		concurrently(10, 20, func(int) {
			do(t.Context(), p, "agent", func() pacing.Result {
				n := sent.Add(1)
				if at := time.Since(begin); at < time.Duration(n-1)*time.Second/4 {
					t.Errorf("request %d was sent after %s", n, at)
				}
				if n < 4 {
					return failed
				}
				return admitted
			})
		})
		if took := time.Since(begin); sent.Load() != 23 || took > 7*time.Second {
			t.Errorf("%d requests took %s, want 23 in about 23 quarters of a second", sent.Load(), took)
		}
	})
}

// TestMaxPerSecondAfterStalls: later requests do not make up for a delay, and a limit on the
// service's side that is far higher does not raise a low rate.
func TestMaxPerSecondAfterStalls(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []float64{0.2, 50} {
		synctest.Test(t, func(t *testing.T) {
			config := defaults()
			config.MaxPerSecond = perSecond
			p, begin := pacing.New(config), time.Now()
			var mu sync.Mutex
			var sent []time.Duration
			concurrently(100, 400, func(int) {
				do(t.Context(), p, "agent", func() pacing.Result {
					at := time.Since(begin)
					mu.Lock()
					sent = append(sent, at)
					isFirst := len(sent) < 4
					mu.Unlock()
					time.Sleep(max(3*time.Millisecond, 3*time.Second-at%(5*time.Second)))
					if isFirst {
						return throttled(0)
					}
					return admitted
				})
			})
			slices.Sort(sent)
			for i := 1; i < len(sent); i++ {
				if gap := (sent[i] - sent[i-1]).Seconds(); gap < 0.9/perSecond { // A learned rate can rise during a wait.
					t.Fatalf("%f per second: a request was sent %f s after the one before", perSecond, gap)
				}
			}
		})
	}
}

// TestMaxInFlight holds it before and after requests are throttled.
func TestMaxInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		limited := bucket(100, 20)
		s := &service{limit: func(now time.Time, end bool) (time.Duration, bool) {
			if !end {
				most.Store(max(most.Load(), running.Load()))
			}
			return limited(now, end)
		}}
		config := defaults()
		config.MaxInFlight = 8
		p := pacing.New(config)
		concurrently(100, 1000, func(int) {
			do(t.Context(), p, "agent", func() pacing.Result {
				running.Add(1)
				defer running.Add(-1)
				return s.send()
			})
		})
		if most.Load() != 8 {
			t.Errorf("%d requests were in flight, want 8", most.Load())
		}
	})
}

// TestFirstComeFirstServed: a retry is sent after the requests that were waiting
// already.
func TestFirstComeFirstServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pacing.New(pacing.Config{MaxInFlight: 1, MaxRetries: 1, RetryWait: 500 * time.Millisecond})
		var sent []int
		concurrently(4, 4, func(i int) {
			time.Sleep(time.Duration(i) * time.Millisecond)
			do(t.Context(), p, "agent", func() pacing.Result {
				sent = append(sent, i) // One is in flight at a time.
				time.Sleep(time.Second)
				if len(sent) == 1 {
					return throttled(0)
				}
				return admitted
			})
		})
		if got, want := fmt.Sprint(sent), "[0 1 2 3 0]"; got != want {
			t.Errorf("sent in the order %s, want %s", got, want)
		}
	})
}

// TestCanceledWaits: a request whose context ends leaves the queue at once, and
// the others' permission is not lost.
func TestCanceledWaits(t *testing.T) {
	t.Parallel()
	for range 100 { // Whether a request is canceled or acquired first is random.
		synctest.Test(t, func(t *testing.T) {
			p := pacing.New(pacing.Config{MaxInFlight: 1, MaxRetries: 1, RetryWait: time.Second})
			acquire := func(ctx context.Context) (*pacing.Request, error) {
				r := &pacing.Request{Operation: "agent"}
				return r, p.Acquire(ctx, r)
			}
			ctx, cancel := context.WithCancel(t.Context())
			first, _ := acquire(t.Context())
			var group sync.WaitGroup
			group.Go(func() {
				if r, err := acquire(ctx); err == nil {
					p.Release(r, admitted)
				}
			})
			synctest.Wait()
			group.Go(func() {
				if _, err := acquire(t.Context()); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			cancel()
			p.Release(first, admitted)
			group.Wait()
			if _, err := acquire(ctx); err == nil {
				t.Error("a request was acquired after the end of its context")
			}
		})
	}
}

// TestCanceledPace: a request whose context ends while it waits for the configured rate takes
// no permission.
func TestCanceledPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pacing.New(pacing.Config{MaxInFlight: 1, MaxPerSecond: 0.1, MaxRetries: 1})
		send := func(ctx context.Context) bool {
			return do(ctx, p, "agent", func() pacing.Result { return admitted })
		}
		begin := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if !send(t.Context()) || send(ctx) || time.Since(begin) != time.Second || !send(t.Context()) {
			t.Error("a canceled request was admitted, or waited, or another one was not admitted")
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("took %s, want 10 s", took)
		}
		r := &pacing.Request{}
		if err := p.Acquire(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		p.Release(r, throttled(time.Minute))
		released := time.Now()
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Acquire(ctx, r); err == nil || time.Since(released) != time.Second {
			t.Error("a canceled request waited for its retry")
		}
	})
}
