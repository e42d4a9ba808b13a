// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"net/http"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// TestNothingIsLeft is not parallel, because it counts what the whole process
// has open after 2,000 requests of which most fail.
func TestNothingIsLeft(t *testing.T) {
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return 0 // where there is no such directory, goroutines alone tell
		}
		return len(entries)
	}
	goroutines, files := runtime.NumGoroutine(), descriptors()
	fault := inTurn(respond(503, ""), respond(429, ""), cutOff, dropped, respond(404, ""), redirect(302, "http://other.example/"),
		respond(http.StatusOK, `{"message":"success"}`))
	var served atomic.Int32
	server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1)%2 == 0 {
			dropped(w, r)
		}
		fault(w, r)
	}))
	address, _ := silent(t)
	good := newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(1)})
	stalled := newClient(t, convo.Config{BaseURL: "https://" + address, RequestTimeout: 5 * time.Millisecond})
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	run := func() {
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				for range 10 {
					_, _ = readAgent(ctx, good), updateSession(ctx, good)
				}
				_, _ = readAgent(ctx, stalled), updateSession(ctx, stalled)
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
	good.CloseIdleConnections()
	stalled.CloseIdleConnections()
	server.Close()
	// The listener of the silent server has a goroutine and a descriptor until
	// the test ends.
	eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+1 && descriptors() <= files+1 })
}

func heapAfterCollection() int {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc) //nolint:gosec // No heap has 2^63 bytes.
}
