// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// withHeader adds a header to what a handler returns.
func withHeader(name, value string, handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add(name, value)
		handler(w, r)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	long := testToken + strings.Repeat("x", 1000)
	for want, handler := range map[string]http.HandlerFunc{
		"of the service":                       withHeader("X-Request-Id", "of\tthe service", respond(200, "")),
		"***" + strings.Repeat("x", 197) + "…": withHeader("X-Request-Id", long, respond(404, "")),
	} {
		if got := failure(t, startService(t, handler).URL); got.RequestID != want {
			t.Errorf("got the request ID %q, want %q", got.RequestID, want)
		}
	}
}

// The struct for a response decides whether the response conforms to the API.
func TestDecode(t *testing.T) {
	t.Parallel()
	client := newClient(t, convo.Config{BaseURL: "http://127.0.0.1"})
	for document, want := range map[string]string{
		`{"agents":[]}`:              "",
		`{"agents":["a"],"other":1}`: "",
		`{}`:                         "agents: required, but null or missing",
		`{"agents":null}`:            "agents: required, but null or missing",
		`{"agents":{}}`:              "agents: expected an array, got an object",
		`{"agents":[`:                "the JSON text ends in the middle of a value",
		`{"agents":[],"agents":[]}`:  "agents: the key occurs twice",
		`{"x":{"\n` + testToken + `":1,"\n` + testToken + `":1}}`: "x. ***: the key occurs twice",
	} {
		var body struct {
			Agents []string `json:"agents" required:"true"`
			Total  *bool    `json:"total"`
		}
		err := client.ResponseWith(document).Decode(&body)
		if want == "" && err == nil {
			continue
		}
		if e := asError(t, err); e.Status != 200 || e.Problem != want {
			t.Errorf("%s: got %v, want %q", document, err, want)
		}
	}
}

// TestURLOfErrors: errors contain the URL without query values.
func TestURLOfErrors(t *testing.T) {
	t.Parallel()
	server := startService(t, http.HandlerFunc(dropped))
	client := newClient(t, convo.Config{BaseURL: server.URL + "/api", Token: "ws_secret"})
	_, err := client.AgentStats(testContext(t), "ws_secret/1", "last7Days")
	if want := server.URL + "/api/v1/agents/***%2F1/analytics/stats"; asError(t, err).URL != want {
		t.Errorf("got %+v, want the URL %s", err, want)
	}
}
