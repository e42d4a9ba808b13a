// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
)

// BenchmarkLimits audits agents with one period under limits of the service,
// with the default settings and in real time. The ideal is what the limit
// itself allows.
func BenchmarkLimits(b *testing.B) {
	for _, test := range []struct {
		name   string
		agents int
		limit  option
		ideal  float64 // seconds
	}{
		{"100/s,burst=50", 1000, bucket(100, 50, false), 19.53},
		{"100/s,burst=50,Retry-After", 1000, bucket(100, 50, true), 19.53},
		{"500in5s,Retry-After", 1000, fixedWindow(true), 20},
		{"500in5s", 1000, fixedWindow(false), 20},
		{"4inflight", 1000, maxInFlight(4), 1.5},
		{"thirdrefused", 1000, refuseThird, 0.56},
		{"10/s,burst=10", 200, bucket(10, 10, false), 39.3},
		{"10/s,burst=10,Retry-After", 200, bucket(10, 10, true), 39.3},
		{"50/s,burst=10", 200, bucket(50, 10, false), 7.86},
		{"50/s,burst=10,Retry-After", 200, bucket(50, 10, true), 7.86},
		{"50/s,burst=1", 200, bucket(50, 1, false), 8.04},
		{"50/s,burst=1,Retry-After", 200, bucket(50, 1, true), 8.04},
		{"nolimit", 1000, func(next http.Handler) http.Handler { return next }, 0.38},
	} {
		b.Run(test.name, func(b *testing.B) {
			var sent, refused int64
			var elapsed time.Duration
			for b.Loop() {
				counts := &statusCounts{}
				s := startService(b, withSeed(devservertest.ManyAgents(test.agents)), withLatency, test.limit, counts.around)
				p := newTestProvider(b)
				p.server.(*server).provider.retryWait = 0 // the default
				requireNoErrors(b, p.configure(object{"base_url": s.BaseURL, "token": devserver.TokenWrite}))
				read := dataSource(p, "convo_workspace_audit", object{"workspace_id": "larkspur", "stats_periods": list{"last30Days"}})
				begin := time.Now()
				read()
				elapsed += time.Since(begin)
				sent += counts.sent.Load()
				refused += counts.refused.Load()
			}
			seconds := elapsed.Seconds() / float64(b.N)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(seconds, "s")
			b.ReportMetric(seconds/test.ideal, "times-ideal")
			b.ReportMetric(100*float64(refused)/float64(sent), "%refused")
		})
	}
}

// withLatency responds after 3 ms.
func withLatency(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(3 * time.Millisecond)
		next.ServeHTTP(w, r)
	})
}

// tooManyRequests refuses a request, with the seconds to wait unless they are 0.
func tooManyRequests(seconds float64) http.Handler {
	return withLatency(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seconds > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(seconds))))
		}
		devserver.ErrorHandler(http.StatusTooManyRequests).ServeHTTP(w, r)
	}))
}

// bucket accepts requests while there are tokens. It contains burst tokens
// initially and at most, and receives perSecond tokens each second.
func bucket(perSecond float64, burst int, retryAfter bool) option {
	return func(next http.Handler) http.Handler {
		var mu sync.Mutex
		tokens, filled := float64(burst), time.Now()
		return withFault(func(*http.Request) http.Handler {
			mu.Lock()
			defer mu.Unlock()
			now := time.Now()
			tokens = min(float64(burst), tokens+perSecond*now.Sub(filled).Seconds())
			filled = now
			if tokens >= 1 {
				tokens--
				return nil
			}
			if !retryAfter {
				return tooManyRequests(0)
			}
			return tooManyRequests((1 - tokens) / perSecond)
		})(next)
	}
}

// maxInFlight refuses requests while the given number of requests is being served.
func maxInFlight(most int64) option {
	return func(next http.Handler) http.Handler {
		var inFlight atomic.Int64
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer inFlight.Add(-1)
			if inFlight.Add(1) > most {
				tooManyRequests(0).ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// fixedWindow accepts 500 requests in each window of five seconds.
func fixedWindow(retryAfter bool) option {
	const most, length = 500, 5 * time.Second
	return func(next http.Handler) http.Handler {
		var mu sync.Mutex
		begin, accepted := time.Now(), 0
		return withFault(func(*http.Request) http.Handler {
			mu.Lock()
			defer mu.Unlock()
			passed := time.Since(begin)
			if passed >= length {
				begin, accepted = begin.Add(passed.Truncate(length)), 0
			}
			if accepted < most {
				accepted++
				return nil
			}
			if !retryAfter {
				return tooManyRequests(0)
			}
			return tooManyRequests((length - passed).Seconds())
		})(next)
	}
}

// refuseThird refuses a third of the requests at random, with the same numbers in
// each run.
func refuseThird(next http.Handler) http.Handler {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, 0))
	return withFault(func(*http.Request) http.Handler {
		mu.Lock()
		defer mu.Unlock()
		if random.Float64() >= 1./3 {
			return nil
		}
		return tooManyRequests(0)
	})(next)
}

// statusCounts counts the requests around a service.
type statusCounts struct{ sent, refused atomic.Int64 }

func (c *statusCounts) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.sent.Add(1)
		next.ServeHTTP(&countedResponse{w, c}, r)
	})
}

type countedResponse struct {
	http.ResponseWriter
	counts *statusCounts
}

func (w *countedResponse) WriteHeader(status int) {
	if status == http.StatusTooManyRequests {
		w.counts.refused.Add(1)
	}
	w.ResponseWriter.WriteHeader(status)
}
