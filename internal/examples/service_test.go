// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// service is the development server on a free loopback port, which keeps what it is sent.
type service struct {
	*apitest.Service
	// BaseURL ends in a prefix, as the API allows.
	BaseURL string
}

// startService starts a service that ends with the test. Each option stands around the
// handler, or replaces it.
func startService(t testing.TB, options ...option) *service {
	t.Helper()
	s := newService(t, options...)
	s.Start()
	s.BaseURL = s.URL + "/api"
	return s
}

// newService makes a service that is not started yet.
func newService(t testing.TB, options ...option) *service {
	t.Helper()
	handler := apitest.Checked(devserver.New(devserver.DefaultSeed()))
	for _, around := range options {
		handler = around(handler)
	}
	return &service{Service: apitest.NewService(t, http.StripPrefix("/api", handler))}
}

// requests returns the method, URL, and body of every request that arrived.
func (s *service) requests() []string {
	sent := s.Sent()
	for i, request := range s.Requests() {
		sent[i] += " " + request.Body
	}
	return sent
}

// variables are the environment variables that configure the provider for a service.
func variables(baseURL string) []string {
	return []string{"CONVO_BASE_URL=" + baseURL, "CONVO_TOKEN=" + devserver.TokenWrite}
}

type option = func(next http.Handler) http.Handler

// withSeed serves other data. It must be the first option.
func withSeed(seed devserver.Seed) option {
	return func(http.Handler) http.Handler { return apitest.Checked(devserver.New(seed)) }
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
