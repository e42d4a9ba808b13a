// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// serving serves a seed.
func serving(t *testing.T, seed devserver.Seed) *apitest.Recorder {
	t.Helper()
	return apitest.Record(t, apitest.Checked(devserver.New(seed)))
}

// send sends one request; an empty authorization sends no such header.
func send(t *testing.T, handler http.Handler, method, target, authorization, body string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	return response
}

// get sends a GET request with a token.
func get(t *testing.T, handler http.Handler, target, token string) *httptest.ResponseRecorder {
	t.Helper()
	return send(t, handler, http.MethodGet, target, "Bearer "+token, "")
}

// expect compares a response with a status and a whole body.
func expect(t *testing.T, got *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	if got.Code != status || got.Body.String() != body+"\n" {
		t.Errorf("got %d %s\nwant %d %s", got.Code, got.Body, status, body)
	}
	if contentType := got.Header().Get("Content-Type"); contentType != "application/json" {
		t.Errorf("got Content-Type %q, want application/json", contentType)
	}
}
