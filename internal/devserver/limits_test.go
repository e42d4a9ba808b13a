// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// TestLimits sends requests at given times. Each is written as its time in
// milliseconds and the Retry-After header that it is refused with: "-" for
// none, "ok" for a request that is let through.
func TestLimits(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		limit    devserver.Option
		requests string
	}{
		"bucket": {
			devserver.WithTokenBucket(10, 3, false),
			"0:ok 0:ok 0:ok 0:- 99:- 100:ok 101:- 300:ok 310:ok 310:- 9000:ok 9000:ok 9000:ok 9000:-",
		},
		"bucket with Retry-After":   {devserver.WithTokenBucket(0.4, 1, true), "0:ok 0:3 400:3 600:2 1500:1 2400:1 2500:ok"},
		"bucket with whole seconds": {devserver.WithTokenBucket(0.5, 1, true), "0:ok 0:2 1000:1 2000:ok"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := devserver.New(test.limit)
				begin := time.Now()
				for i, request := range strings.Fields(test.requests) {
					at, want, _ := strings.Cut(request, ":")
					after, err := time.ParseDuration(at + "ms")
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(after - time.Since(begin))
					response := serve(server, newRequest(t, http.MethodGet, "/v1/agents", devserver.TokenGuest))
					got := "ok"
					if response.Code == http.StatusTooManyRequests {
						got = "-"
						if header := response.Header().Get("Retry-After"); header != "" {
							got = header
						}
						const body = `{"code":"TOO_MANY_REQUESTS","message":"Too Many Requests","issues":[]}` + "\n"
						if response.Body.String() != body {
							t.Errorf("got the body %s", response.Body)
						}
					}
					if got != want {
						t.Errorf("request %d at %s ms: got %s, want %s", i+1, at, got, want)
					}
				}
			})
		})
	}
}

func TestMaxInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := devserver.New(devserver.WithMaxInFlight(2), devserver.WithLatency(time.Second))
		for range 2 {
			var group sync.WaitGroup
			var mu sync.Mutex
			statuses := map[int]int{}
			for range 10 {
				group.Go(func() {
					response := serve(server, newRequest(t, http.MethodGet, "/v1/agents", devserver.TokenGuest))
					mu.Lock()
					defer mu.Unlock()
					statuses[response.Code]++
				})
			}
			group.Wait()
			if statuses[200] != 2 || statuses[429] != 8 {
				t.Errorf("got the statuses %v, want 2 times 200 and 8 times 429", statuses)
			}
		}
	})
}

// TestLimitsAreAServersOwn: options that are used twice make two limits.
func TestLimitsAreAServersOwn(t *testing.T) {
	t.Parallel()
	limit := devserver.WithTokenBucket(0.001, 1, true)
	for range 2 {
		server := devserver.New(limit)
		if got := serve(server, newRequest(t, http.MethodGet, "/v1/agents", devserver.TokenGuest)).Code; got != 200 {
			t.Errorf("got status %d, want 200", got)
		}
	}
}
