// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
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
				client := b.client("a", Config{MaxRetries: 1})
				if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
					t.Error(err)
				}
				b.expectArrivals(arrival{0, "a"}, arrival{test.want, "a"})
			})
		})
	}
}

func TestBackoffOfDefaults(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 503} {
		inBubble(t, faulty(DefaultMaxRetries, status, "0"), func(t *testing.T, b *bubble) {
			client := b.client("a", Config{MaxRetries: DefaultMaxRetries})
			if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
				t.Error(err)
			}
			bounds := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}
			if len(b.arrivals) != 1+len(bounds) {
				t.Fatalf("got the requests %v, want 5", b.arrivals)
			}
			for i, bound := range bounds {
				if gap := b.arrivals[i+1].after - b.arrivals[i].after; gap > bound {
					t.Errorf("%d: the wait before retry %d is %s, want at most %s", status, i+1, gap, bound)
				}
			}
		})
	}
}

// Test429HoldsBackTheWholeClient has one client meet the limit, and asks what
// becomes of its other requests and of those of another client.
func Test429HoldsBackTheWholeClient(t *testing.T) {
	t.Parallel()
	inBubble(t, faulty(1, 429, "10"), func(t *testing.T, b *bubble) {
		held := b.client("held", Config{MaxRetries: 1})
		free := b.client("free", Config{MaxRetries: 1})
		var group sync.WaitGroup
		send := func(after time.Duration, client *Client, post bool) {
			group.Add(1)
			b.at(after, func() {
				defer group.Done()
				var err error
				if post {
					_, err = client.UpdateSessionAgent(t.Context(), "ses_1", []byte(`{}`))
				} else {
					_, err = client.Agent(t.Context(), "agt_1")
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		send(0, held, false)
		send(1*time.Second, held, false)
		send(2*time.Second, held, true)
		send(3*time.Second, free, false)
		send(9*time.Second, free, true)
		send(11*time.Second, held, false)
		group.Wait()
		b.expectArrivals(
			arrival{0, "held"},
			arrival{3 * time.Second, "free"}, arrival{9 * time.Second, "free"},
			arrival{10 * time.Second, "held"}, arrival{10 * time.Second, "held"}, arrival{10 * time.Second, "held"},
			arrival{11 * time.Second, "held"},
		)
	})
}

// Test503HoldsBackOnlyItself is the counterpart: only a 429 is about the
// caller.
func Test503HoldsBackOnlyItself(t *testing.T) {
	t.Parallel()
	inBubble(t, faulty(1, 503, "10"), func(t *testing.T, b *bubble) {
		client := b.client("a", Config{MaxRetries: 1, MaxConcurrentRequests: 1})
		var group sync.WaitGroup
		for _, after := range []time.Duration{0, time.Second} {
			group.Add(1)
			b.at(after, func() {
				defer group.Done()
				if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		b.expectArrivals(arrival{0, "a"}, arrival{time.Second, "a"}, arrival{10 * time.Second, "a"})
	})
}

// TestContextEndsWaits covers all three waits: between attempts, at the gate
// and for a free slot.
func TestContextEndsWaits(t *testing.T) {
	t.Parallel()
	ends := map[string]struct {
		end  func(context.Context) (context.Context, context.CancelFunc)
		want error
	}{
		"cancelled": {
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
					client := b.client("a", Config{MaxRetries: 4})
					ctx, cancel := end.end(t.Context())
					defer cancel()
					_, err := client.Agent(ctx, "agt_1")
					b.expectNow(3 * time.Second)
					b.expectArrivals(arrival{0, "a"})
					var answer *ResponseError
					if !errors.As(err, &answer) || answer.Status != status || answer.Attempts != 1 {
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
				client := b.client("a", Config{MaxConcurrentRequests: 1})
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
				b.expectArrivals(arrival{0, "a"})
			})
		})
	}
}

// TestSlotIsFreeAfterCancelledWaits holds that no slot is lost when waits at
// the gate and for a slot are cancelled.
func TestSlotIsFreeAfterCancelledWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, faulty(1, 429, "30"), func(t *testing.T, b *bubble) {
		client := b.client("a", Config{MaxRetries: 1, MaxConcurrentRequests: 2})
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
		b.expectNow(30 * time.Second)
	})
}
