// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package apitest

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Request is a request that arrived at a service.
type Request struct {
	Method, URI string
	Header      http.Header
	Body        string
}

// Service is a server on loopback with a [Recorder].
type Service struct {
	*httptest.Server
	*Recorder
}

// NewService returns a service that is not started, and ends with the test.
func NewService(t testing.TB, handler http.Handler) *Service {
	t.Helper()
	recorder := Record(t, handler)
	s := &Service{httptest.NewUnstartedServer(recorder), recorder}
	t.Cleanup(s.Close)
	return s
}

// Recorder is a handler that records requests. When the test ends, it fails if a request, or a response of [Checked],
// deviated from the document.
type Recorder struct {
	handler http.Handler
	isBench bool // Benchmarks send too many requests.

	mu        sync.Mutex
	requests  []Request
	sent      deviations // of requests
	responded deviations // of responses
}

// deviations are what deviates from the document, and the reason why that is right.
type deviations struct {
	found  map[string]bool
	reason string
}

// Record returns a recorder around a handler.
func Record(t testing.TB, handler http.Handler) *Recorder {
	t.Helper()
	r := &Recorder{handler: handler, sent: deviations{found: map[string]bool{}}, responded: deviations{found: map[string]bool{}}}
	_, r.isBench = t.(*testing.B)
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sent.report(t)
		r.responded.report(t)
	})
	return r
}

func (d deviations) report(t testing.TB) {
	switch {
	case d.reason == "":
		for _, deviation := range slices.Sorted(maps.Keys(d.found)) {
			t.Errorf("%s. Correct it, internal/api/openapi.yaml, or call a method Exempt of the service", deviation)
		}
	case len(d.found) == 0 && !t.Failed() && !t.Skipped():
		t.Errorf("nothing deviates from internal/api/openapi.yaml. Remove the exemption %q", d.reason)
	}
}

// ExemptRequests permits requests that deviate from the document, of which there must be one.
func (r *Recorder) ExemptRequests(reason string) { r.sent.reason = reason }

// ExemptResponses permits responses of the development server that deviate, of which there must be one.
func (r *Recorder) ExemptResponses(reason string) { r.responded.reason = reason }

// recorderKey is the key of the recorder in the context of a request.
type recorderKey struct{}

func (r *Recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if r.isBench {
		r.handler.ServeHTTP(w, request)
		return
	}
	body, _ := io.ReadAll(request.Body)
	request = request.WithContext(context.WithValue(request.Context(), recorderKey{}, r))
	if request.Method != http.MethodConnect { // It is for a proxy.
		if err := checkRequest(request, body); err != nil {
			reason, _, _ := strings.Cut(err.Error(), "\n")
			r.add(r.sent.found, request.Method+" "+request.RequestURI+": "+reason)
		}
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	r.requests = append(r.requests, Request{request.Method, request.RequestURI, request.Header.Clone(), string(body)})
	r.mu.Unlock()
	r.handler.ServeHTTP(w, request)
}

func (r *Recorder) add(found map[string]bool, deviation string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found[deviation] = true
}

// Requests returns every request that arrived, in order.
func (r *Recorder) Requests() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// Sent returns the method, and the URL from /v1/ on, of every request that arrived, in order.
func (r *Recorder) Sent() []string {
	var sent []string
	for _, request := range r.Requests() {
		sent = append(sent, request.Method+" "+request.URI[max(0, strings.Index(request.URI, "/v1/")):])
	}
	return sent
}

// Checked returns a handler, such as the development server, whose responses the recorder around it compares with the
// document.
func Checked(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r, ok := request.Context().Value(recorderKey{}).(*Recorder)
		if !ok {
			handler.ServeHTTP(w, request)
			return
		}
		sent := httptest.NewRecorder()
		handler.ServeHTTP(sent, request)
		if operation, deviation := Deviation(request, sent.Code, sent.Body.Bytes()); deviation != "" {
			r.add(r.responded.found, "the response of "+operation+": "+deviation)
		}
		maps.Copy(w.Header(), sent.Header())
		w.WriteHeader(sent.Code)
		_, _ = w.Write(sent.Body.Bytes())
	})
}
