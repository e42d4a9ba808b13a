// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// TestPatience: a request is retried until none of its operation was admitted for a time. Later
// ones are not retried until one is admitted. Other operations are not concerned.
func TestPatience(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for _, test := range []struct {
		obstacle pacing.Result
		retries  int
		patience time.Duration
	}{
		{throttled(0), 0, 0},
		{throttled(0), 1, 20 * second},
		{throttled(0), 4, 80 * second},
		{failed, 0, 0},
		{failed, 1, 10 * second},
		{failed, 4, 40 * second},
	} {
		synctest.Test(t, func(t *testing.T) {
			config := defaults()
			config.MaxRetries = test.retries
			p := pacing.New(config)
			request := func(operation string, obstructed time.Duration) (isAdmitted bool, took time.Duration) {
				begin := time.Now()
				isAdmitted = do(t.Context(), p, operation, func() pacing.Result {
					if time.Since(begin) < obstructed {
						return test.obstacle
					}
					return admitted
				})
				return isAdmitted, time.Since(begin)
			}
			expect := func(what, operation string, obstructed time.Duration, wantAdmitted bool, least, most time.Duration) {
				t.Helper()
				if isAdmitted, took := request(operation, obstructed); isAdmitted != wantAdmitted || took < least || took > most {
					t.Errorf("%+v, %d retries, %s: admitted %t after %s", test.obstacle, test.retries, what, isAdmitted, took)
				}
			}
			expect("an obstacle that passes", "agent", test.patience, true, test.patience, test.patience+5*second)
			expect("an obstacle that remains", "members", time.Hour, false, test.patience, test.patience+5*second)
			time.Sleep(10 * second)
			expect("the next request", "members", time.Hour, false, 0, 0)
			expect("another operation", "workspace", test.patience, true, test.patience, test.patience+5*second)
			expect("an admitted request", "members", 0, true, 0, second)
			time.Sleep(10 * second)
			expect("a request after an admitted one", "members", time.Hour, false, test.patience, test.patience+5*second)
		})
	}
}

// TestRefusalsAndFailures have separate times: a limit that lasts longer than an outage
// can does not make a failure the last one.
func TestRefusalsAndFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin, failures := time.Now(), 0
		if !do(t.Context(), pacing.New(defaults()), "agent", func() pacing.Result {
			switch at := time.Since(begin); {
			case at < 60*time.Second:
				return throttled(0)
			case failures < 2:
				failures++
				return failed
			}
			return admitted
		}) {
			t.Error("the request was given up")
		}
	})
}

// TestOutages: a service that is down for 40 seconds costs no request of an audit, also at
// its beginning or end, and is used soon after. The requests that a slow service received
// before are answered during the outage.
func TestOutages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		isSlow     bool
		audit      time.Duration
		begin, end time.Duration // of the outage
	}{
		{false, 380 * time.Millisecond, 0, 5 * time.Second},
		{false, 380 * time.Millisecond, 0, 40 * time.Second},
		{false, 380 * time.Millisecond, 190 * time.Millisecond, 20 * time.Second},
		{false, 380 * time.Millisecond, 375 * time.Millisecond, 40 * time.Second},
		{true, 13 * time.Second, 4 * time.Second, 44 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			s := &service{limit: unlimited, slow: test.isSlow, downFrom: start.Add(test.begin), downUntil: start.Add(test.end)}
			failures := audit(t.Context(), pacing.New(defaults()), s, 2000)
			if took := time.Since(start); failures > 0 || took > test.end-test.begin+test.audit+5*time.Second {
				t.Errorf("%+v: %d requests failed, took %s", test, failures, took)
			}
		})
	}
}

// TestBrokenObject: an object for which the service always fails has few attempts, which take
// about 8 seconds for each read of it, however few the others are.
func TestBrokenObject(t *testing.T) {
	t.Parallel()
	for _, objects := range []int{2, 10, 16, 20, 500} {
		for _, broken := range []int{0, objects / 2, objects - 1} {
			for _, reads := range []int{1, 2} {
				synctest.Test(t, func(t *testing.T) {
					p, begin := pacing.New(defaults()), time.Now()
					var attempts atomic.Int64
					concurrently(16, objects, func(i int) {
						for _, operation := range []string{"agent", "statistics"}[:reads] {
							isAdmitted := do(t.Context(), p, operation, func() pacing.Result {
								time.Sleep(3*time.Millisecond + time.Duration(i)*time.Microsecond)
								if i == broken {
									attempts.Add(1)
									return failed
								}
								return admitted
							})
							if isAdmitted == (i == broken) {
								t.Errorf("object %d: admitted %t", i, isAdmitted)
							}
						}
					})
					// Seven attempts, with the longest random waits: 0.5, 1, 2, and three of 4 seconds.
					most := time.Duration(reads) * 16 * time.Second
					if took := time.Since(begin); took > most || attempts.Load() < int64(5*reads) || attempts.Load() > int64(7*reads) {
						t.Errorf("object %d of %d, %d reads: %d attempts took %s", broken, objects, reads, attempts.Load(), took)
					}
				})
			}
		}
	}
}

// TestBrokenObjects: many of them are no outage, either, while others are read.
func TestBrokenObjects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, begin := pacing.New(defaults()), time.Now()
		var attempts atomic.Int64
		concurrently(16, 1000, func(i int) {
			do(t.Context(), p, "agent", func() pacing.Result {
				time.Sleep(100 * time.Millisecond)
				if i%20 == 0 {
					attempts.Add(1)
					return failed
				}
				return admitted
			})
		})
		if took := time.Since(begin); took > 40*time.Second || attempts.Load() > 50*5+30 {
			t.Errorf("50 of 1,000 objects are broken: %d attempts at them, took %s", attempts.Load(), took)
		}
	})
}

// TestServiceThatThrottlesEverything ends all of many requests within two and a half minutes,
// with few attempts.
func TestServiceThatThrottlesEverything(t *testing.T) {
	t.Parallel()
	for _, retryAfter := range []time.Duration{0, time.Minute, time.Hour} {
		for _, parallelism := range []int{1, 100} {
			synctest.Test(t, func(t *testing.T) {
				p, attempts, begin := pacing.New(defaults()), atomic.Int64{}, time.Now()
				concurrently(parallelism, 100, func(int) {
					do(t.Context(), p, "agent", func() pacing.Result { attempts.Add(1); return throttled(retryAfter) })
				})
				if took := time.Since(begin); took > 150*time.Second || attempts.Load() > 600 {
					t.Errorf("Retry-After %s, %d at once: %d attempts took %s", retryAfter, parallelism, attempts.Load(), took)
				}
			})
		}
	}
}

// TestBrokenObjectAmongOthers: no outage begins with a failure while others are admitted, so each
// later read of an object that always fails has as many attempts as the first one.
func TestBrokenObjectAmongOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pacing.New(defaults())
		concurrently(2, 2, func(i int) {
			if i == 0 {
				for range 40_000 {
					do(t.Context(), p, "agent", func() pacing.Result {
						time.Sleep(5 * time.Millisecond)
						return admitted
					})
				}
				return
			}
			for read := range 3 {
				time.Sleep(50*time.Second + 500*time.Millisecond)
				attempts := 0
				do(t.Context(), p, "statistics", func() pacing.Result {
					time.Sleep(20 * time.Millisecond)
					attempts++
					return failed
				})
				if attempts != 5 {
					t.Errorf("read %d had %d attempts, want 5", read, attempts)
				}
			}
		})
	})
}

// TestBrokenOperation: when the other requests have ended, the failures of one operation are
// like an outage, which lasts no longer than one.
func TestBrokenOperation(t *testing.T) {
	t.Parallel()
	for _, objects := range []int{3, 12, 100} {
		synctest.Test(t, func(t *testing.T) {
			p, begin := pacing.New(defaults()), time.Now()
			concurrently(16, objects, func(int) {
				for _, operation := range []string{"agent", "statistics", "statistics", "statistics"} {
					do(t.Context(), p, operation, func() pacing.Result {
						time.Sleep(3 * time.Millisecond)
						if operation == "agent" {
							return admitted
						}
						return failed
					})
				}
			})
			if took := time.Since(begin); took > 50*time.Second {
				t.Errorf("%d objects took %s", objects, took)
			}
		})
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
				isAdmitted := do(t.Context(), p, operation, func() pacing.Result {
					time.Sleep(3 * time.Millisecond)
					attempts.Add(1)
					if operation == "agent" {
						return admitted
					}
					return throttled(0)
				})
				if isAdmitted != (operation == "agent") {
					t.Errorf("request %d: admitted %t", i, isAdmitted)
				}
			})
			if took := time.Since(begin); took > 3*time.Minute || attempts.Load() > 2000+16*40 {
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
			isAdmitted := do(t.Context(), p, "agent", func() pacing.Result {
				time.Sleep(3 * time.Millisecond)
				if i == 7 {
					attempts.Add(1)
					return throttled(time.Second)
				}
				others.Store(int64(time.Since(begin)))
				return admitted
			})
			if isAdmitted != (i != 7) {
				t.Errorf("request %d: admitted %t", i, isAdmitted)
			}
		})
		if took := time.Duration(others.Load()); took > 3*time.Second || time.Since(begin) > 2*time.Minute || attempts.Load() > 60 {
			t.Errorf("the others took %s, all %s, with %d throttled requests", took, time.Since(begin), attempts.Load())
		}
	})
}

// TestRequiredWait: the service's wait is the least one, up to a minute, and delays no
// other request.
func TestRequiredWait(t *testing.T) {
	t.Parallel()
	for _, outcome := range []pacing.Outcome{pacing.Failed, pacing.Throttled} {
		for after, want := range map[time.Duration]int{10 * time.Second: 2, time.Minute: 2, time.Minute + 1: 1} {
			synctest.Test(t, func(t *testing.T) {
				p, attempts, begin := pacing.New(pacing.Config{MaxInFlight: 1, MaxRetries: 4, RetryWait: time.Second}), 0, time.Now()
				var group sync.WaitGroup
				group.Go(func() {
					do(t.Context(), p, "agent", func() pacing.Result {
						if attempts++; attempts == 2 {
							return admitted
						}
						return pacing.Result{Outcome: outcome, Retryable: true, RetryAfter: after}
					})
				})
				time.Sleep(time.Second)
				do(t.Context(), p, "members", func() pacing.Result { return pacing.Result{Outcome: pacing.Failed} })
				if took := time.Since(begin); took > 3*time.Second {
					t.Errorf("another request was delayed by %s", took)
				}
				group.Wait()
				if took := time.Since(begin); attempts != want || want > 1 && (took < after || took > after+time.Second) {
					t.Errorf("outcome %d, %s: %d attempts in %s", outcome, after, attempts, took)
				}
			})
		}
	}
}

// TestBackoff holds that the wait before a retry is random, and that its bound doubles up to 4
// seconds.
func TestBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pacing.New(pacing.Config{MaxInFlight: 1, MaxRetries: 4, RetryWait: time.Second})
		var shortest, longest [4]time.Duration
		for i := range shortest {
			shortest[i] = time.Hour
		}
		for range 1000 {
			r := &pacing.Request{Operation: "agent"}
			for i := range longest {
				_ = p.Acquire(context.Background(), r)
				wait, _ := p.Release(r, failed)
				shortest[i] = min(shortest[i], wait)
				longest[i] = max(longest[i], wait)
			}
			_ = p.Acquire(context.Background(), r)
			p.Release(r, admitted)
		}
		for i, bound := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 4 * time.Second} {
			if shortest[i] > bound/10 || longest[i] < bound*9/10 || longest[i] > bound {
				t.Errorf("1,000 waits after attempt %d are %s to %s", i+1, shortest[i], longest[i])
			}
		}
	})
}
