// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// apiOperation is an operation of the API as a user runs it.
type apiOperation struct {
	name string
	// task completes "Unable to", and about names what it is for.
	task, about string
	method      string
	run         func(*protocol) []*tfprotov6.Diagnostic
}

// apiOperations are the reads that send one request, and the update.
func apiOperations() []apiOperation {
	var operations []apiOperation
	for _, c := range oneCasePerRead() {
		if len(c.requests) == 1 {
			operations = append(operations, apiOperation{c.source, c.task, c.about, http.MethodGet, func(p *protocol) []*tfprotov6.Diagnostic {
				_, diagnostics := p.read(c.source, c.config)
				return diagnostics
			}})
		}
	}
	return append(operations, apiOperation{sessionAgent, "update session agent", `session "s-1"`, http.MethodPost, func(p *protocol) []*tfprotov6.Diagnostic {
		prior := object{"session_id": "s-1", "agent_id": "a-1", "payload": nil, "triggers": nil, "message": "success"}
		after, diagnostics := p.apply(prior, object{"session_id": "s-1", "agent_id": "a-2"})
		if diff := cmp.Diff(prior, after); diff != "" {
			p.t.Errorf("the failed update changed the state (-want +got):\n%s", diff)
		}
		created, _ := p.apply(nil, object{"session_id": "s-1"})
		if created != nil {
			p.t.Errorf("the failed create left the state %v", created)
		}
		return diagnostics
	}})
}

// fault is what a service, or something in front of it, can do instead of
// responding as the API documents.
type fault struct {
	handler http.HandlerFunc
	// want are texts of the error; a "GET" or "POST" entry is for that method only.
	want map[string][]string
	// stalls reports that only a timeout ends the request.
	stalls bool
}

// timeout returns a request_timeout that nothing reaches on a slow machine
// unless it has to.
func (f fault) timeout() string {
	if f.stalls {
		return "300ms"
	}
	return "1m"
}

// always requires the texts for every operation.
func always(texts ...string) map[string][]string { return map[string][]string{"": texts} }

func faults() map[string]fault {
	respond := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	envelope := func(status int, issues ...string) http.HandlerFunc {
		return devserver.ErrorHandler(status, issues...).ServeHTTP
	}
	const page = "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Please log in</body></html>"
	const half = `{"workspace":{"id":"w-1","token":"shr_secret`
	return map[string]fault{
		"400": {handler: envelope(400, "first issue", "second issue"), want: always("400 Bad Request", "Invalid input data (BAD_REQUEST)", "\n  - first issue\n  - second issue\n\nURL: ", "the service's message above")},
		"401": {handler: envelope(401), want: always("401 Unauthorized", "Authorization not provided (UNAUTHORIZED)", "The token is invalid or has expired")},
		"403": {handler: envelope(403), want: always("403 Forbidden", "Insufficient access (FORBIDDEN)", "does not have permission")},
		"404": {handler: envelope(404), want: always("404 Not Found", "Not found (NOT_FOUND)")},
		"500": {handler: envelope(500), want: map[string][]string{
			"": {"500 Internal Server Error", "Internal server error (INTERNAL_SERVER_ERROR)", "If the error persists"}, http.MethodGet: {"(3 attempts)", "Try again later"},
		}},
		"401 of a gateway": {handler: respond(401, "text/html", page), want: always("401 Unauthorized", "Log in", "Check that base_url is correct")},
		"404 of a gateway": {handler: respond(404, "text/html", page), want: always("404 Not Found", "Log in Please log in", "base_url")},
		"429":              {handler: respond(429, "text/plain", ""), want: always("429 Too Many Requests", "(3 attempts)", "max_requests_per_second")},
		"502":              {handler: respond(502, "text/html", page), want: always("502 Bad Gateway", "Log in Please log in", "If the error persists")},
		"503":              {handler: respond(503, "text/plain", ""), want: always("503 Service Unavailable", "gave no reason")},
		"504":              {handler: respond(504, "text/plain", "upstream timed out"), want: always("504 Gateway Timeout", "upstream timed out")},
		"418":              {handler: respond(418, "text/plain", "short and stout"), want: always("418 I'm a teapot", "short and stout", "base_url")},
		"300":              {handler: respond(300, "text/plain", "choose one"), want: always("300 Multiple Choices", "choose one", "base_url")},
		"204":              {handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, want: always("204 No Content")},

		"a page":                {handler: respond(200, "text/html", page), want: always("200 OK", "Log in Please log in", "base_url")},
		"nothing":               {handler: respond(200, "application/json", ""), want: always("200 OK", "empty", "base_url")},
		"half a body":           {handler: respond(200, "application/json", half), want: always("200 OK", "the response is cut off", "ends after 44 bytes")},
		"a text":                {handler: respond(200, "text/plain", "it works"), want: always("200 OK", "it works", "base_url")},
		"an array":              {handler: respond(200, "application/json", `[1]`), want: always("200 OK", "expected an object, got an array")},
		"an object of another":  {handler: respond(200, "application/json", `{"status":"up"}`), want: always("200 OK", "required, but missing")},
		"an error in a success": {handler: respond(200, "application/json", `{"code":"FORBIDDEN","message":"Insufficient access","issues":[]}`), want: always("200 OK", "Insufficient access (FORBIDDEN)")},
		"another content type":  {handler: respond(200, "text/plain", `{"workspace":1,"members":1,"agents":1,"agent":1,"stats":1,"message":null}`), want: always("200 OK", "the response does not match the documented API")},
		"a dropped connection": {handler: drop(""), want: map[string][]string{
			"": {"failed", "the connection was closed before a response arrived"}, http.MethodPost: {"may have taken effect"},
		}},
		"a body without a length":       {handler: drop("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + half), want: always("failed", "after 44 bytes")},
		"half a definition in an error": {handler: respond(500, "application/json", half), want: always("500 Internal Server Error", "gave no reason")},
		"another success":               {handler: respond(201, "application/json", `{"message":"success"}`), want: always("201 Created", `, with the message "success".`, "200 OK is the only success status")},
		"a body that breaks off":        {handler: drop("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + half), want: always("failed", "the response ended prematurely, after 44 bytes")},
		"what is no HTTP":               {handler: drop("SSH-2.0-OpenSSH_9.2\r\n"), want: always("failed", "base_url")},
		"no response in time":           {stalls: true, handler: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, want: always("no complete response within 300ms", "request_timeout")},
		"another host":                  {handler: redirect("https://elsewhere.example/login"), want: always("redirected the request to https://elsewhere.example", "base_url")},
		"a redirect to itself": {handler: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/api"+r.URL.Path, http.StatusTemporaryRedirect)
		}, want: always("redirected the request more than 5 times")},
	}
}

func redirect(target string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) }
}

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

// Every fault on every operation: one error that a person can act on.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range faults() {
		for _, operation := range apiOperations() {
			t.Run(name+"/"+operation.name, func(t *testing.T) {
				t.Parallel()
				s := startService(t, devserver.WithFault(func(*http.Request) http.Handler { return fault.handler }))
				diagnostics := operation.run(configured(t, s, object{"max_retries": number("2"), "request_timeout": fault.timeout()}))
				texts := append([]string{"Unable to " + operation.task, operation.about}, fault.want[""]...)
				requireError(t, diagnostics, append(texts, fault.want[operation.method]...)...)
				if strings.Contains(describe(diagnostics[0]), "shr_secret") {
					t.Errorf("the error quotes the response:\n%s", describe(diagnostics[0]))
				}
			})
		}
	}
}

// Four faults in a row are survived with exactly five requests, where a
// request may be retried; a POST that may have been acted on is sent once.
func TestRetries(t *testing.T) {
	t.Parallel()
	faults := map[string]struct {
		handler http.Handler
		posted  int // requests that an update takes
	}{
		"429":                    {devserver.ErrorHandler(http.StatusTooManyRequests), 5},
		"500":                    {devserver.ErrorHandler(http.StatusInternalServerError), 1},
		"503":                    {devserver.ErrorHandler(http.StatusServiceUnavailable), 1},
		"a dropped connection":   {drop(""), 1},
		"a body that breaks off": {drop("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"), 1},
	}
	for name, fault := range faults {
		start := func(t *testing.T) (service, *protocol) {
			var sent atomic.Int64
			s := startService(t, devserver.WithFault(func(*http.Request) http.Handler {
				if sent.Add(1) <= 4 {
					return fault.handler
				}
				return nil
			}))
			return s, configured(t, s, object{"max_retries": nil})
		}
		for _, c := range oneCasePerRead() {
			t.Run(name+"/"+c.source, func(t *testing.T) {
				t.Parallel()
				s, p := start(t)
				if diff := cmp.Diff(c.want, p.mustRead(c.source, c.config)); diff != "" {
					t.Errorf("unexpected state (-want +got):\n%s", diff)
				}
				if got := len(s.Requests()); got != 4+len(c.requests) {
					t.Errorf("sent %d requests, want %d", got, 4+len(c.requests))
				}
			})
		}
		t.Run(name+"/"+sessionAgent, func(t *testing.T) {
			t.Parallel()
			s, p := start(t)
			_, diagnostics := p.apply(nil, object{"session_id": "ses_orders_open"})
			if failed := len(errorsIn(diagnostics)) > 0; failed != (fault.posted == 1) {
				t.Errorf("got %v", diagnostics)
			}
			if got := len(s.Requests()); got != fault.posted {
				t.Errorf("sent %d requests, want %d", got, fault.posted)
			}
		})
	}
}
