// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// flaky fails a third of the requests, with 503, a lost connection and, once in a
// hundred times, 429. It counts how many are in flight at once.
type flaky struct{ sent, inFlight, most atomic.Int64 }

func (f *flaky) fault(*http.Request) http.Handler {
	n := f.sent.Add(1)
	switch {
	case n%3 != 0:
		return nil
	case n%300 == 0:
		return devserver.ErrorHandler(http.StatusTooManyRequests)
	case n%2 == 0:
		return http.HandlerFunc(cutOff)
	}
	return devserver.ErrorHandler(http.StatusServiceUnavailable)
}

// cutOff sends less than it announces. The server closes the connection only
// when the request counts as in flight no more.
func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte("{"))
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

// Two thousand reads, a fifth of which fail, of a service that fails a third of
// the time: what can be read is read, never more than the configured number is in
// flight, and nothing is left behind. Not parallel, because it looks at the whole
// process.
func TestLoad(t *testing.T) {
	leftBehind, files := goleak.IgnoreCurrent(), openFiles()
	t.Run("reads", func(t *testing.T) {
		f := &flaky{}
		s := startServiceBehind(t, f.count, devserver.WithFault(func(r *http.Request) http.Handler {
			if strings.Contains(r.URL.Path, "/agt_broken/") {
				return jsonHandler(http.StatusOK, `{"stats":{"totalViews":`)
			}
			return f.fault(r)
		}))
		p := configuredProvider(t, s, object{"max_concurrent_requests": number("8"), "max_retries": number("20")})
		round := func() {
			var reads sync.WaitGroup
			for i := range 400 {
				reads.Go(func() {
					id := "agt_orders"
					switch i % 10 {
					case 0:
						id = "agt_missing"
					case 1:
						id = "agt_broken"
					}
					_, diagnostics := p.read("convo_agent_stats", object{"agent_id": id})
					if failed := errorsIn(diagnostics); len(failed) > 0 != (id != "agt_orders") {
						t.Errorf("%s: got %d errors: %v", id, len(failed), failed)
					}
				})
			}
			reads.Wait()
		}
		round()
		heap, descriptors := heapInUse(), openFiles()
		for range 4 {
			round()
		}
		if grown := heapInUse() - heap; grown > 4<<20 {
			t.Errorf("the heap has grown by %d bytes", grown)
		}
		// Both ends of eight connections can be kept or not.
		if now := openFiles(); now > descriptors+16 {
			t.Errorf("%d descriptors are open, %d were before", now, descriptors)
		}
		if most := f.most.Load(); most > 8 {
			t.Errorf("%d requests were in flight at once", most)
		}
		if sent := f.sent.Load(); sent < 2600 || sent > 2900 {
			t.Errorf("sent %d requests, want about 2700", sent)
		}
	})
	goleak.VerifyNone(t, leftBehind)
	if now := openFiles(); now > files {
		t.Errorf("%d descriptors are open, %d were before", now, files)
	}
}

// openFiles counts the open descriptors; 0 on systems that do not list them.
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

func heapInUse() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc) //nolint:gosec // No heap has 2^63 bytes.
}
