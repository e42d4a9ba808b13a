// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func newRequest(t *testing.T, method, target, token string) *http.Request {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, target, http.NoBody)
	request.Header.Set("Authorization", "Bearer "+token)
	return request
}

func serve(handler http.Handler, request *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

// TestLatency holds that a response waits, unless the client has disconnected.
func TestLatency(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[time.Duration]time.Duration{24 * time.Hour: time.Hour, time.Minute: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			server := devserver.New(devserver.WithLatency(time.Hour))
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			begin := time.Now()
			serve(server, newRequest(t, http.MethodGet, "/v1/agents", devserver.TokenGuest).WithContext(ctx))
			if waited := time.Since(begin); waited != want {
				t.Errorf("returned after %s, want %s", waited, want)
			}
		})
	}
}

func TestFault(t *testing.T) {
	t.Parallel()
	baseURL := start(t,
		devserver.WithFault(func(r *http.Request) http.Handler {
			if r.Method != http.MethodPost {
				return nil
			}
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.Copy(w, r.Body)
			})
		}),
		devserver.WithFault(func(r *http.Request) http.Handler {
			if r.URL.Query().Has("busy") {
				return devserver.ErrorHandler(http.StatusTooManyRequests, "slow down", "please")
			}
			return nil
		}),
		devserver.WithFault(func(r *http.Request) http.Handler {
			if r.URL.Query().Has("broken") {
				return devserver.ErrorHandler(599)
			}
			return nil
		}),
	)

	// Neither request is authenticated, so both faults come before authentication.
	expect(t, send(t, http.MethodPost, baseURL+"/anywhere", "", `{"echo":1}`), http.StatusOK, `{"echo":1}`)
	expect(t, send(t, http.MethodGet, baseURL+"/v1/agents?busy", "", ""), http.StatusTooManyRequests,
		`{"code":"TOO_MANY_REQUESTS","message":"Too Many Requests",`+
			`"issues":[{"message":"slow down"},{"message":"please"}]}`)
	expect(t, send(t, http.MethodGet, baseURL+"/v1/agents?broken", "", ""), 599,
		`{"code":"STATUS_599","message":"Status 599","issues":[]}`)
	if got := get(t, baseURL+"/v1/agents", devserver.TokenGuest); got.status != http.StatusOK {
		t.Errorf("got status %d without a fault, want 200", got.status)
	}
}

// TestConcurrency is for the race detector.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	server := devserver.New(devserver.WithBehavior(devserver.ReadActivity))
	targets := []string{"/v1/agents", "/v1/agents/agt_returns", "/v1/agents/agt_returns/analytics/stats", "/v1/workspaces/larkspur"}

	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			for _, target := range targets {
				recorder := serve(server, newRequest(t, http.MethodGet, target, devserver.TokenWrite))
				if recorder.Code != http.StatusOK {
					t.Errorf("%s: got status %d", target, recorder.Code)
				}
			}
		})
		group.Go(func() {
			server.SetSeed(devserver.DefaultSeed())
		})
		group.Go(func() {
			request := newRequest(t, http.MethodPost, "/v1/sessions/ses_orders_open/updateAgent", devserver.TokenWrite)
			request.Body = io.NopCloser(strings.NewReader(`{"agentId":"agt_jobs"}`))
			if recorder := serve(server, request); recorder.Code != http.StatusOK {
				t.Errorf("update: got %d %s", recorder.Code, recorder.Body)
			}
		})
	}
	group.Wait()
}
