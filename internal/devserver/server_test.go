// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

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

// TestErrorHandler has the envelopes of the status that only a failure causes, and of statuses that the API does not document.
func TestErrorHandler(t *testing.T) {
	t.Parallel()
	expect(t, get(t, startHandler(t, devserver.ErrorHandler(http.StatusInternalServerError)), ""), http.StatusInternalServerError,
		`{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error","issues":[]}`)
	expect(t, get(t, startHandler(t, devserver.ErrorHandler(http.StatusTooManyRequests, "slow down", "please")), ""), http.StatusTooManyRequests,
		`{"code":"TOO_MANY_REQUESTS","message":"Too Many Requests","issues":[{"message":"slow down"},{"message":"please"}]}`)
	expect(t, get(t, startHandler(t, devserver.ErrorHandler(599)), ""), 599, `{"code":"STATUS_599","message":"Status 599","issues":[]}`)
}

// TestConcurrency is for the race detector.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	server := devserver.New(devserver.DefaultSeed())
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
			request := newRequest(t, http.MethodPost, "/v1/sessions/ses_orders_open/updateAgent", devserver.TokenWrite)
			request.Body = io.NopCloser(strings.NewReader(`{"agentId":"agt_jobs"}`))
			if recorder := serve(server, request); recorder.Code != http.StatusOK {
				t.Errorf("update: got %d %s", recorder.Code, recorder.Body)
			}
		})
	}
	group.Wait()
}
