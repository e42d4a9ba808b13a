// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

func TestWaitIsWhatTheServiceAsksFor(t *testing.T) {
	t.Parallel()
	// A bubble begins at midnight UTC on 1 January 2000.
	tests := map[string]struct {
		status int
		header string
		want   time.Duration
	}{
		"seconds":                 {503, "7", 7 * time.Second},
		"seconds after 429":       {429, "7", 7 * time.Second},
		"date":                    {503, "Sat, 01 Jan 2000 00:00:45 GMT", 45 * time.Second},
		"date after 429":          {429, "Sat, 01 Jan 2000 00:00:45 GMT", 45 * time.Second},
		"too many seconds":        {503, "3600", time.Minute},
		"far too many seconds":    {429, "99999999999999999999", time.Minute},
		"date too far in advance": {429, "Sun, 02 Jan 2000 00:00:00 GMT", time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, faulty(1, test.status, test.header), func(t *testing.T, b *bubble) {
				client := b.client(Config{MaxRetries: 1})
				if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
					t.Error(err)
				}
				if len(b.arrivals) != 2 {
					t.Fatalf("got the requests %v, want 2", b.arrivals)
				}
				// A tenth of jitter at most, and never over a minute.
				if second := b.arrivals[1]; second < test.want || second > min(test.want*11/10, time.Minute) {
					t.Errorf("the retry came after %s, want %s and a tenth at most", second, test.want)
				}
			})
		})
	}
}

func TestBackoffOfDefaults(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 503} {
		inBubble(t, faulty(DefaultMaxRetries, status, "0"), func(t *testing.T, b *bubble) {
			client := b.client(Config{MaxRetries: DefaultMaxRetries})
			if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
				t.Error(err)
			}
			bounds := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}
			if len(b.arrivals) != 1+len(bounds) {
				t.Fatalf("got the requests %v, want 5", b.arrivals)
			}
			for i, bound := range bounds {
				if gap := b.arrivals[i+1] - b.arrivals[i]; gap > bound {
					t.Errorf("%d: the wait before retry %d is %s, want at most %s", status, i+1, gap, bound)
				}
			}
		})
	}
}

// TestRefusalHoldsBackOnlyItself: one refusal does not concern other requests,
// which may be of another kind.
func TestRefusalHoldsBackOnlyItself(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 503} {
		inBubble(t, faulty(1, status, "10"), func(t *testing.T, b *bubble) {
			client := b.client(Config{MaxRetries: 1, MaxConcurrentRequests: 1})
			var group sync.WaitGroup
			for _, after := range []time.Duration{0, time.Second, 3 * time.Second} {
				group.Add(1)
				b.at(after, func() {
					defer group.Done()
					if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if len(b.arrivals) != 4 || b.arrivals[1] != time.Second || b.arrivals[2] != 3*time.Second ||
				b.arrivals[3] < 10*time.Second || b.arrivals[3] > 11*time.Second {
				t.Errorf("%d: got requests at %v, want them at 0, 1 and 3 s, and the refused one at 10 to 11 s", status, b.arrivals)
			}
		})
	}
}

// TestContextEndsWaits covers both waits: between attempts, and in the queue.
func TestContextEndsWaits(t *testing.T) {
	t.Parallel()
	ends := map[string]struct {
		end  func(context.Context) (context.Context, context.CancelFunc)
		want error
	}{
		"canceled": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(3*time.Second, cancel)
				return ctx, cancel
			}, context.Canceled,
		},
		"deadline": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 3*time.Second)
			}, context.DeadlineExceeded,
		},
	}
	for name, end := range ends {
		for _, status := range []int{429, 503} {
			t.Run(name+" after "+strconv.Itoa(status), func(t *testing.T) {
				t.Parallel()
				inBubble(t, faulty(9, status, "30"), func(t *testing.T, b *bubble) {
					client := b.client(Config{MaxRetries: 4})
					ctx, cancel := end.end(t.Context())
					defer cancel()
					_, err := client.Agent(ctx, "agt_1")
					b.expectNow(3 * time.Second)
					b.expectArrivals(0)
					var failure *ResponseError
					if !errors.As(err, &failure) || failure.Status != status || failure.Attempts != 1 {
						t.Errorf("got %v, want the %d of the only attempt", err, status)
					}
					if !errors.Is(err, end.want) {
						t.Errorf("got %v, want it to wrap %v", err, end.want)
					}
				})
			})
		}
		t.Run(name+" before there is a slot", func(t *testing.T) {
			t.Parallel()
			slow := func(http.ResponseWriter, *http.Request) { time.Sleep(20 * time.Second) }
			inBubble(t, slow, func(t *testing.T, b *bubble) {
				client := b.client(Config{MaxConcurrentRequests: 1})
				var group sync.WaitGroup
				group.Go(func() { _, _ = client.Agent(t.Context(), "agt_1") })
				group.Add(1)
				b.at(time.Second, func() {
					defer group.Done()
					ctx, cancel := end.end(t.Context())
					defer cancel()
					_, err := client.Agent(ctx, "agt_2")
					b.expectNow(4 * time.Second)
					var transport *TransportError
					if !errors.Is(err, end.want) || !errors.As(err, &transport) || transport.Attempts != 0 {
						t.Errorf("got %v, want %v after no attempt", err, end.want)
					}
				})
				group.Wait()
				b.expectArrivals(0)
			})
		})
	}
}

// TestWaitsForLimitsAreLogged: a wait for a limit that was inferred from
// refusals is logged, and one for a configured limit is not.
func TestWaitsForLimitsAreLogged(t *testing.T) {
	t.Parallel()
	type fields = map[string]any
	tests := map[string]struct {
		config  Config
		prepare func(*learned) // nil for nothing
		want    []fields
	}{
		"configured number": {Config{MaxConcurrentRequests: 1}, nil, nil},
		"configured pace":   {Config{MaxRequestsPerSecond: 2}, nil, nil},
		"inferred number": {
			Config{}, func(l *learned) { l.limit, l.limitAt = 1, time.Now() },
			[]fields{{"waited_ms": 1000.0, "max_in_flight": 1.0}},
		},
		"inferred pace": {
			Config{}, func(l *learned) { l.setPace(time.Now(), 1.23456, true) },
			[]fields{{"waited_ms": 810.0, "max_in_flight": 16.0, "requests_per_second": 1.23}},
		},
		"all stopped": {
			Config{}, func(l *learned) {
				l.setPace(time.Now(), 10, true)
				l.blockedAt, l.heldUntil = time.Now(), time.Now().Add(2*time.Second)
			},
			[]fields{{"waited_ms": 2000.0, "max_in_flight": 1.0}, {"waited_ms": 5000.0, "max_in_flight": 1.0}},
		},
		"inferred number and pace": {
			Config{}, func(l *learned) { l.limit, l.limitAt = 1, time.Now(); l.setPace(time.Now(), 10, true) },
			[]fields{{"waited_ms": 1000.0, "max_in_flight": 1.0, "requests_per_second": 10.0}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(http.ResponseWriter, *http.Request) { time.Sleep(time.Second) }, func(t *testing.T, b *bubble) {
				var log bytes.Buffer
				ctx := tflogtest.RootLogger(t.Context(), &log)
				client := b.client(test.config)
				if test.prepare != nil {
					test.prepare(&client.limiter.learned)
				}
				var group sync.WaitGroup
				for range 2 {
					group.Go(func() { _, _ = client.Agent(ctx, "agt_1") })
				}
				group.Wait()
				entries, err := tflogtest.MultilineJSONDecode(&log)
				if err != nil {
					t.Fatal(err)
				}
				var got []fields
				for _, entry := range entries {
					if entry["@message"] == "Waited because of rate limits" && entry["method"] == "GET" && entry["path"] == "/v1/agents/agt_1" {
						for _, key := range []string{"@level", "@message", "@module", "@timestamp", "@caller", "method", "path"} {
							delete(entry, key)
						}
						got = append(got, entry)
					}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("unexpected waits (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestSlotIsFreeAfterCanceledWaits holds that no slot is lost when waits in the
// queue are canceled.
func TestSlotIsFreeAfterCanceledWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, faulty(2, 429, "30"), func(t *testing.T, b *bubble) {
		client := b.client(Config{MaxRetries: 1, MaxConcurrentRequests: 2})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() { _, _ = client.Agent(ctx, "agt_1") })
		}
		group.Wait()
		b.expectNow(5 * time.Second)
		for range 2 {
			group.Go(func() {
				if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		b.expectNow(5 * time.Second)
		if len(client.limiter.queue) > 0 || client.limiter.inFlight != 0 {
			t.Errorf("%d requests wait and %d are in flight after the end", len(client.limiter.queue), client.limiter.inFlight)
		}
	})
}
