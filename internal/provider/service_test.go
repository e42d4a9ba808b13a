// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// service is the reference service on a free loopback port.
type service struct {
	*devserver.Server
	// BaseURL ends in a prefix, as the API allows.
	BaseURL string
}

// startService starts a service that ends with the test.
func startService(t testing.TB, opts ...devserver.Option) service {
	t.Helper()
	return startServiceWithin(t, func(next http.Handler) http.Handler { return next }, opts...)
}

// startServiceWithin starts a service with a handler around it. It records
// requests, except in benchmarks, which send too many.
func startServiceWithin(t testing.TB, around func(http.Handler) http.Handler, opts ...devserver.Option) service {
	t.Helper()
	if _, benchmark := t.(*testing.B); !benchmark {
		opts = append(opts, devserver.WithRecording())
	}
	server := devserver.New(opts...)
	listener := httptest.NewServer(around(http.StripPrefix("/api", server)))
	t.Cleanup(listener.Close)
	return service{Server: server, BaseURL: listener.URL + "/api"}
}

// paths are the method and path of every request that arrived.
func (s service) paths() []string {
	var paths []string
	for _, r := range s.Requests() {
		paths = append(paths, r.Method+" "+r.Path)
	}
	return paths
}

// sent are the methods and URLs of every request that arrived, sorted: reads
// that send several send them concurrently.
func (s service) sent() []string {
	var sent []string
	for _, r := range s.Requests() {
		sent = append(sent, strings.TrimSuffix(r.Method+" "+r.Path+"?"+r.RawQuery, "?"))
	}
	slices.Sort(sent)
	return sent
}

// get returns the body of the response to a request such as "GET /v1/agents".
func (s service) get(t testing.TB, request string) []byte {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.Header.Set("Authorization", "Bearer "+devserver.TokenWrite)
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, r)
	return recorder.Body.Bytes()
}

// responding is a service that responds to everything with 200 and the same body.
func responding(t testing.TB, body string) service {
	t.Helper()
	return startService(t, devserver.WithFault(func(*http.Request) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		})
	}))
}
