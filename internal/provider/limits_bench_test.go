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
)

// BenchmarkLimits audits agents with one period under limits of the service,
// with the default settings and in real time. The ideal is what the limit
// itself allows.
func BenchmarkLimits(b *testing.B) {
	bucket := devserver.WithTokenBucket
	for _, test := range []struct {
		name   string
		agents int
		limit  devserver.Option
		ideal  float64 // seconds
	}{
		{"100/s,burst=50", 1000, bucket(100, 50, false), 19.53},
		{"100/s,burst=50,Retry-After", 1000, bucket(100, 50, true), 19.53},
		{"500in5s,Retry-After", 1000, fixedWindow(true), 20},
		{"500in5s", 1000, fixedWindow(false), 20},
		{"4inflight", 1000, devserver.WithMaxInFlight(4), 1.5},
		{"thirdrefused", 1000, refuseThird, 0.56},
		{"10/s,burst=10", 200, bucket(10, 10, false), 39.3},
		{"10/s,burst=10,Retry-After", 200, bucket(10, 10, true), 39.3},
		{"50/s,burst=10", 200, bucket(50, 10, false), 7.86},
		{"50/s,burst=10,Retry-After", 200, bucket(50, 10, true), 7.86},
		{"50/s,burst=1", 200, bucket(50, 1, false), 8.04},
		{"50/s,burst=1,Retry-After", 200, bucket(50, 1, true), 8.04},
		{"nolimit", 1000, func(*devserver.Server) {}, 0.38},
	} {
		b.Run(test.name, func(b *testing.B) {
			var sent, refused int64
			var elapsed time.Duration
			for b.Loop() {
				counts := &statusCounts{}
				s := startServiceBehind(b, counts.around, test.limit, devserver.WithLatency(3*time.Millisecond),
					devserver.WithSeed(devserver.ManyAgents(test.agents)))
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

// fixedWindow accepts 500 requests in each window of five seconds.
func fixedWindow(retryAfter bool) devserver.Option {
	const most, length = 500, 5 * time.Second
	return func(server *devserver.Server) {
		var mu sync.Mutex
		begin, accepted := time.Now(), 0
		devserver.WithFault(func(*http.Request) http.Handler {
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
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if retryAfter {
					w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil((length - passed).Seconds()))))
				}
				devserver.ErrorHandler(http.StatusTooManyRequests).ServeHTTP(w, r)
			})
		})(server)
	}
}

// refuseThird refuses a third of the requests at random, with the same numbers in
// each run.
func refuseThird(server *devserver.Server) {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, 0)) //nolint:gosec // Not a secret.
	devserver.WithFault(func(*http.Request) http.Handler {
		mu.Lock()
		defer mu.Unlock()
		if random.Float64() >= 1./3 {
			return nil
		}
		return devserver.ErrorHandler(http.StatusTooManyRequests)
	})(server)
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
