// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// service is the development server on a free loopback port.
type service struct {
	*apitest.Service
	BaseURL string // It ends in a prefix, as the API allows.
}

// option returns a handler that stands around the development server, or replaces
// it. Several are applied in order.
type option = func(next http.Handler) http.Handler

// withSeed serves other data. It must be the first option.
func withSeed(seed devserver.Seed) option {
	return func(http.Handler) http.Handler { return apitest.Checked(devserver.New(seed)) }
}

// withFault responds with the handler that fault returns, unless that is nil.
func withFault(fault func(*http.Request) http.Handler) option {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if handler := fault(r); handler != nil {
				handler.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// withoutFields leaves out documented fields of the responses. A path consists of
// the keys from the root, and applies to every element of a list.
func withoutFields(paths ...string) option {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorder := httptest.NewRecorder()
			next.ServeHTTP(recorder, r)
			decoder := json.NewDecoder(recorder.Body)
			decoder.UseNumber()
			var body any
			if err := decoder.Decode(&body); err != nil {
				panic(err)
			}
			for _, path := range paths {
				removeField(body, strings.Split(path, "."))
			}
			w.WriteHeader(recorder.Code)
			_ = json.NewEncoder(w).Encode(body)
		})
	}
}

func removeField(value any, path []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			removeField(element, path)
		}
	case map[string]any:
		if len(path) == 1 {
			delete(value, path[0])
			return
		}
		removeField(value[path[0]], path[1:])
	}
}

// startService starts a service that ends with the test. It records requests,
// except in benchmarks, which send too many.
func startService(t testing.TB, options ...option) service {
	t.Helper()
	s := newService(t, options...)
	s.Start()
	s.BaseURL = s.URL + "/api"
	return s
}

// newService makes a service that is not started yet.
func newService(t testing.TB, options ...option) service {
	t.Helper()
	handler := apitest.Checked(devserver.New(devserver.DefaultSeed()))
	for _, around := range options {
		handler = around(handler)
	}
	return service{Service: apitest.NewService(t, http.StripPrefix("/api", handler))}
}

// sent returns the method and URL of every request that arrived, sorted,
// because reads that send several requests send them concurrently.
func (s service) sent() []string {
	sent := s.Sent()
	slices.Sort(sent)
	return sent
}

// faults are the handlers that respond to paths instead of the development
// server. The path "" stands for all others.
type faults = map[string]http.Handler

// startServiceWithFaults starts a service that responds to some paths with faults.
func startServiceWithFaults(t testing.TB, faults faults, options ...option) service {
	t.Helper()
	return startService(t, append(options, withFault(func(r *http.Request) http.Handler {
		if fault, ok := faults[r.URL.Path]; ok {
			return fault
		}
		return faults[""]
	}))...)
}

// startServiceReturning starts a service that responds to everything with 200 and
// the same body.
func startServiceReturning(t testing.TB, body string) service {
	t.Helper()
	return startServiceWithFaults(t, faults{"": jsonHandler(http.StatusOK, body)})
}

// jsonHandler responds with a status and a JSON body.
func jsonHandler(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// hang responds only when the client has ended the request.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// drop writes raw bytes and closes the connection.
func drop(raw string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = connection.Write([]byte(raw))
		_ = connection.Close()
	}
}

// cutOff sends less than it announces.
var cutOff = drop("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
