// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"
)

func TestRequestsInFlightAreBounded(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	inFlight, most := 0, 0
	handler := func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		inFlight++
		most = max(most, inFlight)
		mu.Unlock()
		time.Sleep(time.Second)
		mu.Lock()
		inFlight--
		mu.Unlock()
		_, _ = w.Write([]byte(`{"message":"success"}`))
	}
	inBubble(t, handler, func(t *testing.T, b *bubble) {
		client := b.client(Config{MaxConcurrentRequests: 8})
		var group sync.WaitGroup
		for i := range 100 {
			group.Go(func() {
				var err error
				if i%2 == 0 {
					_, err = client.Agent(t.Context(), "agt_1")
				} else {
					_, err = client.UpdateSessionAgent(t.Context(), "ses_1", []byte(`{}`))
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if most != 8 {
			t.Errorf("at most %d requests were in flight, want 8", most)
		}
		b.expectNow(13 * time.Second) // 12 times 8 requests, and 4
	})
}

// TestRequestTimeoutLeavesOutWaiting has requests queue for far longer than
// the timeout of one.
func TestRequestTimeoutLeavesOutWaiting(t *testing.T) {
	t.Parallel()
	slow := func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(20 * time.Second)
		_, _ = w.Write([]byte(`{}`))
	}
	inBubble(t, slow, func(t *testing.T, b *bubble) {
		client := b.client(Config{MaxConcurrentRequests: 1, RequestTimeout: 21 * time.Second})
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		b.expectNow(100 * time.Second)
	})
}

// TestRequestTimeoutBoundsOneAttempt has the service stall at each stage of a
// response.
func TestRequestTimeoutBoundsOneAttempt(t *testing.T) {
	t.Parallel()
	handlers := map[string]http.HandlerFunc{
		"before the headers": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"after the headers": func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"in the body": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"agent":`))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"drop by drop": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte(" "))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
			}
		},
	}
	for name, handler := range handlers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, handler, func(t *testing.T, b *bubble) {
				_, err := b.client(Config{}).Agent(t.Context(), "agt_1")
				b.expectNow(30 * time.Second) // the default
				var transport *TransportError
				if !errors.As(err, &transport) || transport.Reason != ReasonTimeout || transport.Attempts != 1 ||
					err.Error() != "read agent: no complete response within 30s" {
					t.Errorf("got %v, want a *TransportError for that", err)
				}
			})
			inBubble(t, handler, func(t *testing.T, b *bubble) {
				client := b.client(Config{RequestTimeout: 5 * time.Second, MaxRetries: 4})
				_, err := client.UpdateSessionAgent(t.Context(), "ses_1", []byte(`{}`))
				b.expectNow(5 * time.Second) // a POST is not repeated
				b.expectArrivals(0)
				if err == nil || err.Error() != "update session agent: no complete response within 5s" {
					t.Errorf("got %v", err)
				}
			})
		})
		t.Run(name+", canceled", func(t *testing.T) {
			t.Parallel()
			inBubble(t, handler, func(t *testing.T, b *bubble) {
				ctx, cancel := context.WithCancel(t.Context())
				b.at(2*time.Second+time.Millisecond, cancel)
				_, err := b.client(Config{MaxRetries: 4}).Agent(ctx, "agt_1")
				b.expectNow(2*time.Second + time.Millisecond)
				b.expectArrivals(0)
				if !errors.Is(err, context.Canceled) || err.Error() != "read agent: context canceled" {
					t.Errorf("got %v, want context.Canceled", err)
				}
			})
		})
	}
}

func TestTimedOutReadIsRetried(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	served := 0
	handler := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		served++
		first := served == 1
		mu.Unlock()
		if first {
			<-r.Context().Done()
			return
		}
		_, _ = w.Write([]byte(`{}`))
	}
	inBubble(t, handler, func(t *testing.T, b *bubble) {
		client := b.client(Config{RequestTimeout: time.Minute, MaxRetries: 1, RetryWait: time.Nanosecond})
		if _, err := client.Agent(t.Context(), "agt_1"); err != nil {
			t.Error(err)
		}
		if now := time.Since(b.begin); now < time.Minute || now > time.Minute+time.Nanosecond || served != 2 {
			t.Errorf("succeeded with request %d after %s, want the second after one minute", served, now)
		}
	})
}

// TestTimeoutOfAnotherRequest: the caller's context can end because another
// request timed out, which does not mean that this one did.
func TestTimeoutOfAnotherRequest(t *testing.T) {
	t.Parallel()
	var cancel context.CancelCauseFunc
	handler := func(_ http.ResponseWriter, r *http.Request) {
		cancel(&TransportError{Operation: "list agents", Reason: ReasonTimeout, Err: &timeoutError{time.Second}})
		<-r.Context().Done()
	}
	inBubble(t, handler, func(t *testing.T, b *bubble) {
		var ctx context.Context
		ctx, cancel = context.WithCancelCause(t.Context())
		_, err := b.client(Config{MaxRetries: 4}).Agent(ctx, "agt_1")
		b.expectArrivals(0)
		var transport *TransportError
		if !errors.As(err, &transport) || transport.Reason != ReasonCanceled || err.Error() != "read agent: context canceled" {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

// TestCallersDeadlineIsNotTheTimeoutOfAnAttempt: the first ends everything,
// the second is worth another attempt.
func TestCallersDeadlineIsNotTheTimeoutOfAnAttempt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, func(t *testing.T, b *bubble) {
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		_, err := b.client(Config{MaxRetries: 4}).Agent(ctx, "agt_1")
		b.expectNow(7 * time.Second)
		b.expectArrivals(0)
		if !errors.Is(err, context.DeadlineExceeded) || err.Error() != "read agent: context deadline exceeded" {
			t.Errorf("got %v, want context.DeadlineExceeded", err)
		}
	})
}
