// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package apitest

import (
	"bytes"
	"cmp"
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
	isBench bool   // Benchmarks send too many requests.
	reason  string // for deviations, if they are right

	mu        sync.Mutex
	requests  []Request
	deviation string // the first one
}

// Record returns a recorder around a handler.
func Record(t testing.TB, handler http.Handler) *Recorder {
	t.Helper()
	r := &Recorder{handler: handler}
	_, r.isBench = t.(*testing.B)
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case r.reason == "" && r.deviation != "":
			t.Errorf("%s. Correct it, internal/api/openapi.yaml, or call the method Exempt of the service", r.deviation)
		case r.reason != "" && r.deviation == "" && !t.Failed() && !t.Skipped():
			t.Errorf("nothing deviates from internal/api/openapi.yaml. Remove the exemption %q", r.reason)
		}
	})
	return r
}

// Exempt permits requests, and responses of the development server, that deviate from the document. There must be one.
func (r *Recorder) Exempt(reason string) { r.reason = reason }

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
			r.addDeviation(request.Method + " " + request.RequestURI + ": " + reason)
		}
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	r.requests = append(r.requests, Request{request.Method, request.RequestURI, request.Header.Clone(), string(body)})
	r.mu.Unlock()
	r.handler.ServeHTTP(w, request)
}

func (r *Recorder) addDeviation(deviation string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deviation = cmp.Or(r.deviation, deviation)
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
		sent = append(sent, request.Method+" "+withoutBase(request.URI))
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
			r.addDeviation("the response of " + operation + ": " + deviation)
		}
		maps.Copy(w.Header(), sent.Header())
		w.WriteHeader(sent.Code)
		_, _ = w.Write(sent.Body.Bytes())
	})
}
