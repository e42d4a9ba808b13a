// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// withHeader adds a header to what a handler returns.
func withHeader(name, value string, handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add(name, value)
		handler(w, r)
	}
}

func TestResponse(t *testing.T) {
	t.Parallel()
	handler := withHeader("X-Request-Id", "req\t1", respond(http.StatusOK, `{"agent":{}}`))
	server := startService(t, handler)
	collected := &logs{}
	client := newClient(t, convo.Config{BaseURL: server.URL + "/a%2Fb/", Log: collected.log})
	got, err := client.Agent(testContext(t), "agt_1", map[string]string{"search": "query-value"})
	if err != nil {
		t.Fatal(err)
	}
	want := &convo.Response{
		Body: []byte(`{"agent":{}}`), URL: server.URL + "/a%2Fb/v1/agents/agt_1", RequestID: "req 1",
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(convo.Response{})); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
	if collected.attempts[0]["request_id"] != "req 1" {
		t.Errorf("the log does not have the request ID: %s", collected)
	}
	var (
		body struct {
			Agent bool `json:"agent"`
		}
		invalid *convo.ResponseError
	)
	if err := got.Decode(&body); !errors.As(err, &invalid) || invalid.URL != want.URL || invalid.RequestID != "req 1" || invalid.Operation != "read agent" {
		t.Errorf("got %+v, want the URL, the request ID, and the operation of the response", err)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"of the service": withHeader("Cf-Ray", "gateway", withHeader("X-Request-Id", "r-7", respond(404, ""))),
		"of a gateway":   withHeader("Cf-Ray", "r-7", respond(502, "")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := failure(t, startService(t, handler)); got.RequestID != "r-7" {
				t.Errorf("got the request ID %q", got.RequestID)
			}
		})
	}
	t.Run("secret, long", func(t *testing.T) {
		t.Parallel()
		value := testToken + strings.Repeat("x", 1000)
		got := failure(t, startService(t, withHeader("X-Request-Id", value, respond(404, ""))))
		if want := "***" + strings.Repeat("x", 197) + "…"; got.RequestID != want {
			t.Errorf("got %q", got.RequestID)
		}
	})
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
		`<html>`:                     "the text is not valid JSON",
		`{"agents":[],"agents":[]}`:  "agents: the key occurs twice",
		`{"x":{"\n` + testToken + `":1,"\n` + testToken + `":1}}`: "x. ***: the key occurs twice",
	} {
		var body struct {
			Agents []string `json:"agents" required:"true"`
			Total  *bool    `json:"total"`
		}
		err := client.ResponseWith(document).Decode(&body)
		var invalid *convo.ResponseError
		if want == "" && err != nil || want != "" && (!errors.As(err, &invalid) || invalid.Status != 200 || invalid.Err.Error() != want) {
			t.Errorf("%s: got %v, want %q", document, err, want)
		}
	}
}

// TestMessageOfAnUpdate: it can be stored.
func TestMessageOfAnUpdate(t *testing.T) {
	t.Parallel()
	server := startService(t, respond(http.StatusOK, `{"message":"sent\n\u001b[2J`+testToken+`"}`))
	got, err := newClient(t, convo.Config{BaseURL: server.URL}).UpdateSessionAgent(testContext(t), "ses_1", []byte("{}"))
	if err != nil || got != "sent [2J***" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestURLOfErrors: errors contain the URL without query values.
func TestURLOfErrors(t *testing.T) {
	t.Parallel()
	server := startService(t, http.HandlerFunc(dropped))
	client := newClient(t, convo.Config{BaseURL: server.URL + "/api", Token: "ws_secret"})
	_, err := client.AgentStats(testContext(t), "ws_secret/1", "last7Days", nil)
	var transport *convo.TransportError
	if want := server.URL + "/api/v1/agents/***%2F1/analytics/stats"; !errors.As(err, &transport) || transport.URL != want {
		t.Errorf("got %+v, want the URL %s", err, want)
	}
}

// TestNotSent tells failures after which the service may have acted on the
// request from those before anything was sent.
func TestNotSent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		baseURL string
		want    bool
	}{
		"refused connection": {"http://127.0.0.1:1", true},
		"certificate":        {startTLSURL(t), true},
		"dropped":            {startService(t, http.HandlerFunc(dropped)).URL, false},
		"cut off":            {startService(t, http.HandlerFunc(cutOff)).URL, false},
		"redirect elsewhere": {startService(t, redirect(307, "http://127.0.0.1:1/")).URL, false},
	}
	for name, test := range tests {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				err := send(testContext(t), newClient(t, convo.Config{BaseURL: test.baseURL}))
				var transport *convo.TransportError
				if !errors.As(err, &transport) || transport.NotSent != test.want {
					t.Errorf("got %+v, want NotSent %t", err, test.want)
				}
			})
		}
	}
}

func startTLSURL(t *testing.T) string {
	t.Helper()
	server, _ := startTLS(t, serverTLS(newAuthority(t, "foreign").issue(t, nil)))
	return server.URL
}
