// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const notFoundBody = `{"code":"NOT_FOUND","message":"Not found","issues":[]}`

// response is a response that was read to its end.
type response struct {
	status int
	header http.Header
	body   string // without the line end
}

// startWrong serves the default seed to requests that deviate from the document.
func startWrong(t *testing.T) (baseURL string) {
	t.Helper()
	s := startSeed(t, devserver.DefaultSeed())
	s.ExemptRequests("the server rejects them")
	return s.URL + "/api"
}

// startSeed serves a seed below /api on a free loopback port.
func startSeed(t *testing.T, seed devserver.Seed) *apitest.Service {
	t.Helper()
	return apitest.StartService(t, http.StripPrefix("/api", apitest.Checked(devserver.New(seed))))
}

// send sends one request; an empty authorization sends no such header.
func send(t *testing.T, method, url, authorization, body string) response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	request.Header.Set("Content-Type", "application/json")

	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	received, err := transport.RoundTrip(request) // follows no redirects
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = received.Body.Close() }()
	content, err := io.ReadAll(received.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{received.StatusCode, received.Header, strings.TrimSuffix(string(content), "\n")}
}

// get sends a GET request with a token.
func get(t *testing.T, url, token string) response {
	t.Helper()
	return send(t, http.MethodGet, url, "Bearer "+token, "")
}

// update sends updateSessionAgent with the token that is allowed to.
func update(t *testing.T, baseURL, sessionID, body string) response {
	t.Helper()
	return send(t, http.MethodPost, baseURL+"/v1/sessions/"+sessionID+"/updateAgent", "Bearer "+devserver.TokenWrite, body)
}

// expect compares a response with a status and a whole body.
func expect(t *testing.T, got response, status int, body string) {
	t.Helper()
	if got.status != status || got.body != body {
		t.Errorf("got %d %s\nwant %d %s", got.status, got.body, status, body)
	}
	if contentType := got.header.Get("Content-Type"); contentType != "application/json" {
		t.Errorf("got Content-Type %q, want application/json", contentType)
	}
}
