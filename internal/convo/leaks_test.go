// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// TestNothingIsLeft holds that no connection, goroutine, or memory is left after 1,000
// requests of which most fail. The bubble waits for all goroutines. The test is not
// parallel, because it measures the memory of the whole process.
func TestNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fault := inTurn(respond(503, ""), respond(429, ""), cutOff, dropped, respond(404, ""), redirect(302, "http://other.example/"),
			respond(http.StatusOK, `{"message":"success"}`))
		var served atomic.Int32
		n := newHTTPNetwork(t, func(w http.ResponseWriter, r *http.Request) {
			if served.Add(1)%2 == 0 {
				dropped(w, r)
			}
			fault(w, r)
		})
		silent := newSilentNetwork(t)
		good, stalled := n.client(t, convo.Config{MaxRetries: new(1)}), silent.client(t, convo.Config{BaseURL: "https://service.example"})
		run := func() {
			var group sync.WaitGroup
			for range 20 {
				group.Go(func() {
					for range 5 {
						_, _ = readAgent(t.Context(), good), updateSession(t.Context(), good)
					}
					_, _ = readAgent(t.Context(), stalled), updateSession(t.Context(), stalled)
				})
			}
			group.Wait()
		}
		run()
		heap := heapAfterCollection()
		for range 4 {
			run()
		}
		if grown := heapAfterCollection() - heap; grown > 4*mebibyte {
			t.Errorf("the heap has grown by %d bytes", grown)
		}
		time.Sleep(2 * time.Minute)
		if n.connections.Load() == 0 || n.open.Load()+silent.open.Load() != 0 {
			t.Errorf("of %d connections, %d ends are open", n.connections.Load(), n.open.Load()+silent.open.Load())
		}
	})
}

func heapAfterCollection() int {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
