// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// limited runs a test against the reference service, without its data: what
// its limits let through succeeds after 3 ms.
func limited(t *testing.T, test func(*testing.T, *bubble, *tally), limits ...devserver.Option) {
	t.Helper()
	counts := &tally{}
	options := append([]devserver.Option{devserver.WithLatency(3 * time.Millisecond), devserver.WithFault(counts.success)}, limits...)
	var start sync.Once
	var service http.Handler
	inBubble(t, func(w http.ResponseWriter, r *http.Request) {
		// The service starts in the bubble, whose clock it goes by.
		start.Do(func() { service = http.StripPrefix("/api", devserver.New(options...)) })
		service.ServeHTTP(w, r)
	}, func(t *testing.T, b *bubble) { test(t, b, counts) })
}

// tally counts the requests that got through.
type tally struct{ through atomic.Int64 }

func (c *tally) success(*http.Request) http.Handler {
	c.through.Add(1)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"message":"success"}`))
	})
}

// audit sends what an audit of that many agents with one period does, and
// returns how many requests failed.
func audit(ctx context.Context, client *Client, agents int) (failed int64) {
	var failures atomic.Int64
	count := func(err error) {
		if err != nil {
			failures.Add(1)
		}
	}
	var first sync.WaitGroup
	first.Go(func() { _, err := client.Workspace(ctx, "larkspur", nil); count(err) })
	first.Go(func() { _, err := client.Members(ctx, "larkspur"); count(err) })
	first.Go(func() { _, err := client.Agents(ctx, nil); count(err) })
	first.Wait()
	together(client.MaxConcurrentRequests(), 2*agents, func(i int) {
		var err error
		if id := fmt.Sprintf("agt_%d", i/2); i%2 == 0 {
			_, err = client.Agent(ctx, id)
		} else {
			_, err = client.AgentStats(ctx, id, "last30Days")
		}
		count(err)
	})
	return failures.Load()
}

// together runs n tasks, at most so many at once.
func together(most, n int, task func(i int)) {
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

// TestAuditUnderLimits holds the documented times and shares of refusals for
// the default settings. The ideal is what the limit itself allows. Waits are
// random, so the best of three audits counts.
func TestAuditUnderLimits(t *testing.T) {
	t.Parallel()
	const second = time.Second
	bucket, window := devserver.WithTokenBucket, devserver.WithFixedWindow
	tests := map[string]struct {
		agents  int
		limit   devserver.Option
		most    time.Duration
		refused float64 // of all requests that were sent
	}{
		"no limit":                          {1000, devserver.WithMaxInFlight(16), 400 * time.Millisecond, 0},
		"100/s, burst 50":                   {1000, bucket(100, 50, false), 26 * second, 0.10},
		"100/s, burst 50, Retry-After":      {1000, bucket(100, 50, true), 30 * second, 0.10},
		"500 in 5 s":                        {1000, window(500, 5*second, false), 30 * second, 0.25},
		"500 in 5 s, Retry-After":           {1000, window(500, 5*second, true), 27 * second, 0.10},
		"4 in flight":                       {1000, devserver.WithMaxInFlight(4), 8 * second, 0.10},
		"a third at random":                 {1000, devserver.WithRandomRefusals(1./3, 1), 20 * second, 0.40},
		"a tenth at random":                 {1000, devserver.WithRandomRefusals(0.1, 1), 20 * second, 0.15},
		"222/s, burst 10":                   {1000, bucket(222, 10, false), 14 * second, 0.10},
		"1,000/s, burst 10":                 {1000, bucket(1000, 10, false), 4 * second, 0.10},
		"1 in flight":                       {200, devserver.WithMaxInFlight(1), 5 * second, 0.20},
		"200 agents, 10/s, burst 10":        {200, bucket(10, 10, false), 62 * second, 0.20},
		"200 agents, 10/s, burst 10, asked": {200, bucket(10, 10, true), 62 * second, 0.20},
		"200 agents, 50/s, burst 10":        {200, bucket(50, 10, false), 14800 * time.Millisecond, 0.20},
		"200 agents, 50/s, burst 10, asked": {200, bucket(50, 10, true), 14800 * time.Millisecond, 0.20},
		"200 agents, 50/s, burst 1":         {200, bucket(50, 1, false), 15 * second, 0.10},
		"200 agents, 50/s, burst 1, asked":  {200, bucket(50, 1, true), 15 * second, 0.10},
		"100 agents, 100 a minute":          {100, window(100, time.Minute, false), 150 * second, 0.40},
		"100 agents, 100 a minute, asked":   {100, window(100, time.Minute, true), 150 * second, 0.25},
		"50 agents, 2/s, burst 1":           {50, bucket(2, 1, false), 90 * second, 0.45},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holds := false
			for attempt := 0; attempt < 3 && !holds; attempt++ {
				limited(t, func(t *testing.T, b *bubble, counts *tally) {
					client := b.client(Config{MaxRetries: DefaultMaxRetries})
					if failed := audit(t.Context(), client, test.agents); failed > 0 {
						t.Errorf("%d requests failed", failed)
					}
					took, sent, through := time.Since(b.begin), b.arrived(), int(counts.through.Load())
					if want := 2*test.agents + 3; through != want {
						t.Errorf("%d requests got through, want %d", through, want)
					}
					share := float64(sent-through) / float64(sent)
					t.Logf("took %s; %d of %d requests (%.1f %%) were refused", took, sent-through, sent, 100*share)
					holds = took <= test.most && share <= test.refused
				}, test.limit)
			}
			if !holds {
				t.Errorf("want at most %s and %.0f %%", test.most, 100*test.refused)
			}
		})
	}
}

// TestUpdatesUnderLimit: a POST that was refused was not acted on, so that each
// is done exactly once.
func TestUpdatesUnderLimit(t *testing.T) {
	t.Parallel()
	limited(t, func(t *testing.T, b *bubble, counts *tally) {
		client := b.client(Config{MaxRetries: DefaultMaxRetries})
		together(10, 60, func(i int) {
			if _, err := client.UpdateSessionAgent(t.Context(), fmt.Sprintf("ses_%d", i), []byte(`{}`)); err != nil {
				t.Error(err)
			}
		})
		if through := counts.through.Load(); through != 60 {
			t.Errorf("%d updates got through, want 60", through)
		}
		if took := time.Since(b.begin); took > 30*time.Second { // 12 s is ideal
			t.Errorf("took %s", took)
		}
	}, devserver.WithTokenBucket(5, 1, false))
}

// TestSingleReadsUnderLimit is what Terraform does with 100 data sources.
func TestSingleReadsUnderLimit(t *testing.T) {
	t.Parallel()
	for _, parallelism := range []int{10, 100} {
		limited(t, func(t *testing.T, b *bubble, _ *tally) {
			client := b.client(Config{MaxRetries: DefaultMaxRetries})
			together(parallelism, 100, func(int) {
				if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
					t.Error(err)
				}
			})
			if took := time.Since(b.begin); took > 3*time.Second {
				t.Errorf("%d at once took %s, want at most 3 s", parallelism, took)
			}
		}, devserver.WithMaxInFlight(4))
	}
}

// TestSharedLimit has several clients with one quota: all get through.
func TestSharedLimit(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		limit devserver.Option
		most  time.Duration
	}{
		"bucket": {devserver.WithTokenBucket(50, 10, false), 60 * time.Second},            // 24 s is ideal
		"window": {devserver.WithFixedWindow(250, 5*time.Second, true), 60 * time.Second}, // 20 s is ideal
		"flight": {devserver.WithMaxInFlight(4), 20 * time.Second},                        // 1 s is ideal
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limited(t, func(t *testing.T, b *bubble, _ *tally) {
				var group sync.WaitGroup
				for range 3 {
					client := b.client(Config{MaxRetries: DefaultMaxRetries})
					group.Go(func() {
						if failed := audit(t.Context(), client, 200); failed > 0 {
							t.Errorf("%d requests failed", failed)
						}
					})
				}
				group.Wait()
				if took := time.Since(b.begin); took > test.most {
					t.Errorf("took %s, want at most %s", took, test.most)
				}
			}, test.limit)
		})
	}
}

// TestServiceThatRefusesEverything holds that such a service is given up within
// two minutes, whatever the operation and the response, and that later requests
// are given up sooner.
func TestServiceThatRefusesEverything(t *testing.T) {
	t.Parallel()
	for _, retryAfter := range []string{"", "1", "60"} {
		for _, parallelism := range []int{1, 3, 10, 100} {
			t.Run(fmt.Sprintf("Retry-After %s, %d at once", retryAfter, parallelism), func(t *testing.T) {
				t.Parallel()
				inBubble(t, faulty(1<<30, 429, retryAfter), func(t *testing.T, b *bubble) {
					client := b.client(Config{MaxRetries: DefaultMaxRetries})
					together(parallelism, 100, func(int) {
						_, err := client.Agent(t.Context(), "agt_1")
						var response *ResponseError
						if !errors.As(err, &response) || response.Status != 429 {
							t.Errorf("got %v, want the 429", err)
						}
					})
					if took := time.Since(b.begin); took > 2*time.Minute {
						t.Errorf("took %s, want at most two minutes", took)
					}
					if n := b.arrived(); n > 600 {
						t.Errorf("sent %d requests", n)
					}
				})
			})
		}
	}
}

// TestServiceThatBeginsToRefuse has many requests wait since before the last
// success: once patience has ended, each is attempted once more.
func TestServiceThatBeginsToRefuse(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	handler := func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(3 * time.Millisecond)
		if served.Add(1) > 20 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
	inBubble(t, handler, func(t *testing.T, b *bubble) {
		client := b.client(Config{MaxRetries: DefaultMaxRetries})
		var failed atomic.Int64
		together(200, 200, func(int) {
			if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
				failed.Add(1)
			}
		})
		if failed.Load() != 180 {
			t.Errorf("%d requests failed, want 180", failed.Load())
		}
		if took := time.Since(b.begin); took > 2*time.Minute {
			t.Errorf("took %s, want at most two minutes", took)
		}
		if n := b.arrived(); n > 600 {
			t.Errorf("sent %d requests", n)
		}
	})
}

// TestOperationThatIsRefusedForGood doesn't stop the others, and costs less the
// longer that goes on.
func TestOperationThatIsRefusedForGood(t *testing.T) {
	t.Parallel()
	limited(t, func(t *testing.T, b *bubble, counts *tally) {
		client := b.client(Config{MaxRetries: DefaultMaxRetries})
		failed := audit(t.Context(), client, 500)
		if through := counts.through.Load(); failed != 500 || through != 503 {
			t.Errorf("%d requests failed and %d got through, want 500 and 503", failed, through)
		}
		if took := time.Since(b.begin); took > 2*time.Minute {
			t.Errorf("took %s, want at most two minutes", took)
		}
		if n := b.arrived(); n > 503+16*21+500 {
			t.Errorf("sent %d requests", n)
		}
	}, devserver.WithRefusedOperation("GET /v1/agents/{agentId}/analytics/stats"))
}

// TestOneObjectThatIsRefusedForGood is the same for one agent of many.
func TestOneObjectThatIsRefusedForGood(t *testing.T) {
	t.Parallel()
	var refused atomic.Int64
	handler := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/agt_7") {
			refused.Add(1)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		time.Sleep(3 * time.Millisecond)
	}
	inBubble(t, handler, func(t *testing.T, b *bubble) {
		client := b.client(Config{MaxRetries: DefaultMaxRetries})
		var others time.Duration
		var left atomic.Int64
		left.Store(999)
		together(16, 1000, func(i int) {
			_, err := client.Agent(t.Context(), fmt.Sprintf("agt_%d", i))
			if (err != nil) != (i == 7) {
				t.Errorf("agent %d: %v", i, err)
			}
			if i != 7 && left.Add(-1) == 0 {
				others = time.Since(b.begin)
			}
		})
		if took := time.Since(b.begin); others > time.Second || took > time.Minute || refused.Load() > 22 {
			t.Errorf("the others took %s, all %s, with %d refusals", others, took, refused.Load())
		}
	})
}

// TestLimitThatIsLifted is left behind within seconds.
func TestLimitThatIsLifted(t *testing.T) {
	t.Parallel()
	bucket := devserver.New(devserver.WithTokenBucket(10, 1, false), devserver.WithFault((&tally{}).success))
	var lifted atomic.Int64
	var begin atomic.Int64
	handler := func(w http.ResponseWriter, r *http.Request) {
		if time.Now().UnixNano()-begin.Load() < int64(20*time.Second) {
			bucket.ServeHTTP(w, r)
			return
		}
		lifted.Add(1)
		time.Sleep(3 * time.Millisecond)
	}
	inBubble(t, handler, func(t *testing.T, b *bubble) {
		begin.Store(b.begin.UnixNano())
		client := b.client(Config{MaxRetries: DefaultMaxRetries})
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		together(16, 1_000_000, func(int) {
			if ctx.Err() == nil && lifted.Load() < 5000 {
				_, _ = client.Agent(ctx, "agt_1")
			}
		})
		if n := lifted.Load(); n < 5000 {
			t.Errorf("sent %d requests in 15 s after the limit was lifted, want 5000", n)
		}
	})
}

// TestMaxRequestsPerSecond holds the configured pace, retries included.
func TestMaxRequestsPerSecond(t *testing.T) {
	t.Parallel()
	inBubble(t, faulty(3, 503, ""), func(t *testing.T, b *bubble) {
		client := b.client(Config{MaxRetries: DefaultMaxRetries, MaxRequestsPerSecond: 4})
		together(10, 21, func(int) {
			if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
				t.Error(err)
			}
		})
		if len(b.arrivals) != 24 {
			t.Fatalf("sent %d requests, want 24", len(b.arrivals))
		}
		for i := range b.arrivals[1:] {
			if gap := b.arrivals[i+1] - b.arrivals[i]; gap < 250*time.Millisecond {
				t.Errorf("request %d came %s after the one before, want a quarter of a second", i+1, gap)
			}
		}
		if last := b.arrivals[23]; last > 7*time.Second {
			t.Errorf("the last request came after %s, want about 23 quarters of a second", last)
		}
	})
}

// TestRefusedRequestsGoFirst: a request that was refused goes before those that
// were not sent yet.
func TestRefusedRequestsGoFirst(t *testing.T) {
	t.Parallel()
	var paths []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path[len("/api/v1/agents/"):])
		time.Sleep(time.Second)
		if len(paths) == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
	inBubble(t, handler, func(t *testing.T, b *bubble) {
		client := b.client(Config{MaxRetries: 1, MaxConcurrentRequests: 1})
		var group sync.WaitGroup
		for i, id := range []string{"first", "second", "third", "fourth"} {
			group.Add(1)
			b.at(time.Duration(i)*time.Millisecond, func() {
				defer group.Done()
				if _, err := client.Agent(t.Context(), id); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		// The refused one waits for up to half a second, while the second is sent.
		if got := strings.Join(paths, " "); got != "first second first third fourth" {
			t.Errorf("sent in the order %s", got)
		}
	})
}
