// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestStart(t *testing.T) {
	t.Parallel()
	baseURL, stop, err := devserver.New().Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, baseURL+"/v1/agents", devserver.TokenRead); got.status != http.StatusOK || !strings.HasPrefix(baseURL, "http://127.0.0.1:") {
		t.Errorf("%s returned %d", baseURL, got.status)
	}
	stop()
	address := strings.TrimSuffix(strings.TrimPrefix(baseURL, "http://"), "/api")
	if connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", address); err == nil {
		_ = connection.Close()
		t.Error("the server still listens")
	}
}

func TestLatency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := devserver.New(devserver.WithLatency(time.Hour))
		begin := time.Now()
		recorder := serve(server, newRequest(t, http.MethodGet, "/v1/agents", devserver.TokenGuest))
		if waited := time.Since(begin); waited != time.Hour || recorder.Code != http.StatusOK {
			t.Errorf("got status %d after %s, want 200 after an hour", recorder.Code, waited)
		}
	})
}

func TestLatencyEndsWithContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := devserver.New(devserver.WithLatency(time.Hour), devserver.WithRecording())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		begin := time.Now()
		request := newRequest(t, http.MethodGet, "/v1/agents", devserver.TokenGuest).WithContext(ctx)
		recorder := serve(server, request)
		if waited := time.Since(begin); waited != time.Minute {
			t.Errorf("returned after %s, want a minute", waited)
		}
		const want = `{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error","issues":[]}` + "\n"
		if recorder.Code != http.StatusInternalServerError || recorder.Body.String() != want {
			t.Errorf("got %d %s\nwant 500 %s", recorder.Code, recorder.Body, want)
		}
		if recorded := len(server.Requests()); recorded != 1 {
			t.Errorf("recorded %d requests, want 1", recorded)
		}
	})
}

func TestFault(t *testing.T) {
	t.Parallel()
	server, baseURL := start(t,
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
	if recorded := len(server.Requests()); recorded != 4 {
		t.Errorf("recorded %d requests, want 4", recorded)
	}
}

func TestMalformedSeedIsAnInternalError(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	seed.Agents = []devserver.Agent{{ID: "agt_broken", Definition: json.RawMessage(`{"never closed":`)}}
	_, baseURL := start(t, devserver.WithSeed(seed))
	expect(t, get(t, baseURL+"/v1/agents/agt_broken", devserver.TokenGuest), http.StatusInternalServerError,
		`{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error","issues":[]}`)
}

func TestEmptySeedKnowsNobody(t *testing.T) {
	t.Parallel()
	_, baseURL := start(t, devserver.WithSeed(devserver.Seed{}))
	if got := get(t, baseURL+"/v1/agents", devserver.TokenWrite); got.status != http.StatusUnauthorized {
		t.Errorf("got status %d, want 401", got.status)
	}
}

// TestConcurrency is for the race detector; it also holds that no request is lost.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	server := devserver.New(devserver.WithRecording())
	targets := []string{"/v1/agents", "/v1/agents/agt_returns", "/v1/agents/agt_returns/analytics/stats"}

	const rounds = 20
	var group sync.WaitGroup
	for i := range rounds {
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
			body := fmt.Sprintf(`{"agentId":%q}`, []string{"agt_jobs", "agt_returns"}[i%2])
			request := newRequest(t, http.MethodPost, "/v1/sessions/ses_orders_open/updateAgent", devserver.TokenWrite)
			request.Body = io.NopCloser(strings.NewReader(body))
			if recorder := serve(server, request); recorder.Code != http.StatusOK {
				t.Errorf("update: got %d %s", recorder.Code, recorder.Body)
			}
		})
		group.Go(func() {
			_ = server.Requests()
			_ = server.Sessions()
		})
	}
	group.Wait()

	if recorded := len(server.Requests()); recorded != rounds*4 {
		t.Errorf("recorded %d requests, want %d", recorded, rounds*4)
	}
}

// Without the option, a server that runs for long keeps nothing of its requests.
func TestRequestsWithoutRecording(t *testing.T) {
	t.Parallel()
	server := devserver.New()
	serve(server, newRequest(t, http.MethodGet, "/v1/agents", devserver.TokenRead))
	if recorded := len(server.Requests()); recorded != 0 {
		t.Errorf("recorded %d requests, want none", recorded)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	server, baseURL := start(t)

	update(t, baseURL, "ses%20none", `{"agentId":"agt_jobs"}`)
	get(t, baseURL+"/v1/agents?tag=b&tag=a%20c&&flag", devserver.TokenRead)
	send(t, http.MethodDelete, baseURL+"//absent/../x%2Fy", "", "")

	got := server.Requests()
	if len(got) != 3 {
		t.Fatalf("recorded %d requests, want 3", len(got))
	}
	if authorization := got[1].Header.Get("Authorization"); authorization != "Bearer dev-token-read" {
		t.Errorf("recorded Authorization %q, want Bearer dev-token-read", authorization)
	}
	for i := range got {
		got[i].Header = nil
	}
	want := []devserver.Request{
		{Method: "POST", Path: "/v1/sessions/ses%20none/updateAgent", Body: []byte(`{"agentId":"agt_jobs"}`)},
		{Method: "GET", Path: "/v1/agents", RawQuery: "tag=b&tag=a%20c&&flag"},
		{Method: "DELETE", Path: "//absent/../x%2Fy"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
