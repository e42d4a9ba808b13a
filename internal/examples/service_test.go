// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// service is the development server on a free loopback port, which keeps what it is sent.
type service struct {
	http.Handler
	// BaseURL ends in a prefix, as the API allows.
	BaseURL string

	mu       sync.Mutex
	received []string
}

// startService starts a service that ends with the test. Each option stands around the
// handler, or replaces it.
func startService(t testing.TB, options ...option) *service {
	t.Helper()
	s := newService(options...)
	listener := httptest.NewServer(s)
	t.Cleanup(listener.Close)
	s.BaseURL = listener.URL + "/api"
	return s
}

func newService(options ...option) *service {
	var handler http.Handler = devserver.New(devserver.DefaultSeed())
	for _, around := range options {
		handler = around(handler)
	}
	s := &service{}
	s.Handler = http.StripPrefix("/api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.mu.Lock()
		s.received = append(s.received, r.Method+" "+r.URL.Path+" "+string(body))
		s.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	return s
}

// requests returns the method, path, and body of every request that arrived.
func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// variables are the environment variables that configure the provider for a service.
func variables(baseURL string) []string {
	return []string{"CONVO_BASE_URL=" + baseURL, "CONVO_TOKEN=" + devserver.TokenWrite}
}

type option = func(next http.Handler) http.Handler

// withSeed serves other data. It must be the first option.
func withSeed(seed devserver.Seed) option {
	return func(http.Handler) http.Handler { return devserver.New(seed) }
}

// withError refuses the requests whose method and path match a pattern.
func withError(pattern string, status int) option {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if refused, _ := path.Match(pattern, r.Method+" "+r.URL.Path); refused {
				devserver.ErrorHandler(status).ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// revised returns a seed with other texts in the definition of an agent: pairs of the old
// and the new one.
func revised(seed devserver.Seed, agentID string, texts ...string) devserver.Seed {
	for i, agent := range seed.Agents {
		if agent.ID == agentID {
			seed.Agents[i].Definition = []byte(strings.NewReplacer(texts...).Replace(string(agent.Definition)))
		}
	}
	return seed
}

// workspaceInQuery lists the agents of the workspace in a query parameter.
func workspaceInQuery(next http.Handler) http.Handler {
	tokens := map[string]string{"ws_larkspur01": devserver.TokenWrite, "ws_tidepool02": devserver.TokenTidepool}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/agents" {
			token := tokens[r.URL.Query().Get("workspaceId")]
			if token == "" {
				devserver.ErrorHandler(http.StatusBadRequest, "query parameter workspaceId is required").ServeHTTP(w, r)
				return
			}
			r.Header.Set("Authorization", "Bearer "+token)
		}
		next.ServeHTTP(w, r)
	})
}
