// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	handler := withHeader("Link", `</v1/agents?page=2>; rel="next"`,
		withHeader("X-Request-Id", "req\t1", respond(http.StatusOK, `{"agents":[]}`)))
	server := startService(t, handler)
	collected := &logs{}
	client := newClient(t, convo.Config{BaseURL: server.URL + "/a%2Fb/", Log: collected.log})
	got, err := client.Agents(testContext(t), map[string]string{"search": "query-value"})
	if err != nil {
		t.Fatal(err)
	}
	want := &convo.Response{
		Body: []byte(`{"agents":[]}`), URL: server.URL + "/a%2Fb/v1/agents", RequestID: "req 1", HasNext: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
	if collected.entries[0].fields["request_id"] != "req 1" {
		t.Errorf("the log does not have the request ID: %s", collected)
	}
	if e := client.InvalidResponse(got, nil); e.URL != want.URL || e.RequestID != "req 1" {
		t.Errorf("got the URL %q and the request ID %q of an error in it", e.URL, e.RequestID)
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

func TestHasNext(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		links []string
		want  bool
	}{
		"none":               {nil, false},
		"quoted":             {[]string{`<https://svc.example/v1/agents?page=2>; rel="next"`}, true},
		"not quoted":         {[]string{`<?page=2>;rel=next`}, true},
		"upper case, spaces": {[]string{` <?page=2> ; REL = "NEXT" `}, true},
		"several relations":  {[]string{`<?page=2>; rel="last  next"`}, true},
		"several links":      {[]string{`<?page=1>; rel="prev", <?page=2>; rel="next"`}, true},
		"several headers":    {[]string{`<?page=1>; rel=prev`, `<?page=2>; rel=next`}, true},
		"other parameters":   {[]string{`<?page=2>; title="a, b; c"; rel=next; type=x`}, true},
		"another relation":   {[]string{`<?page=2>; rel="prev"`}, false},
		"part of a relation": {[]string{`<?page=2>; rel="next-archive"`}, false},
		"in the URL":         {[]string{`<?rel=next;rel="next">; rel=self`}, false},
		"no relation":        {[]string{`<?page=2>`}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Link"] = test.links
				_, _ = io.WriteString(w, "{}")
			}))
			response, err := newClient(t, convo.Config{BaseURL: server.URL}).Agents(testContext(t), nil)
			if err != nil || response.HasNext != test.want {
				t.Errorf("got %+v, %v; want %t", response, err, test.want)
			}
		})
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
