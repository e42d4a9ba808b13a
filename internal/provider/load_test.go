// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// flaky fails a third of the requests, one in tooMany of these with 429 and
// the others with 503, and counts how many are in flight at once.
type flaky struct {
	tooMany              int64
	sent, inFlight, most atomic.Int64
}

func (f *flaky) fault(*http.Request) http.Handler {
	n := f.sent.Add(1)
	if n%3 != 0 {
		return nil
	}
	if n/3%f.tooMany == 0 {
		return devserver.ErrorHandler(http.StatusTooManyRequests)
	}
	return devserver.ErrorHandler(http.StatusServiceUnavailable)
}

// count stands around the service.
func (f *flaky) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := f.inFlight.Add(1)
		defer f.inFlight.Add(-1)
		for most := f.most.Load(); now > most; most = f.most.Load() {
			if f.most.CompareAndSwap(most, now) {
				break
			}
		}
		next.ServeHTTP(w, r)
	})
}

// A thousand reads at once of a service that fails a third of the time: all
// succeed, never more than the configured number is in flight, and nothing is
// left behind. Not parallel, so that what is left behind is this test's own.
func TestLoad(t *testing.T) {
	leftBehind := goleak.IgnoreCurrent()
	t.Run("reads", func(t *testing.T) {
		f := &flaky{tooMany: 2}
		s := startServiceWithin(t, f.count, devserver.WithFault(f.fault))
		p := configured(t, s, object{"max_concurrent_requests": number("8"), "max_retries": number("20")})
		var reads sync.WaitGroup
		for range 1000 {
			reads.Go(func() {
				_, diagnostics := p.read("convo_agent", object{"agent_id": "agt_orders"})
				for _, d := range errorsIn(diagnostics) {
					t.Error(describe(d))
				}
			})
		}
		reads.Wait()
		if most := f.most.Load(); most > 8 {
			t.Errorf("%d requests were in flight at once", most)
		}
		if sent := f.sent.Load(); sent < 1400 || sent > 1700 {
			t.Errorf("sent %d requests, want about 1500", sent)
		}
	})
	goleak.VerifyNone(t, leftBehind)
}

// An interrupt ends reads that wait for a response, for a slot or for a retry.
func TestCancel(t *testing.T) {
	t.Parallel()
	tests := map[string]http.Handler{
		"no response": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		"429 for an hour": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}),
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived := make(chan struct{}, 1000)
			s := startService(t, devserver.WithFault(func(*http.Request) http.Handler {
				arrived <- struct{}{}
				return handler
			}))
			p := configured(t, s, object{"max_concurrent_requests": number("2"), "max_retries": number("4")})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p.ctx = ctx
			var reads sync.WaitGroup
			for range 100 {
				reads.Go(func() {
					_, diagnostics := p.read("convo_agents", object{})
					if len(errorsIn(diagnostics)) != 1 {
						t.Errorf("got %v, want one error", diagnostics)
					}
				})
			}
			<-arrived
			cancel()
			reads.Wait()
			if got := len(s.Requests()); got > 2 {
				t.Errorf("sent %d requests", got)
			}
		})
	}
}
