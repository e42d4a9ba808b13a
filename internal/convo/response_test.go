// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
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
	if e := client.ErrorIn(got); e.URL != want.URL || e.RequestID != "req 1" {
		t.Errorf("got the URL %q and the request ID %q of an error in it", e.URL, e.RequestID)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"x-request-id", "REQUEST-ID", "X-Correlation-ID", "x-amzn-RequestId", "x-ms-request-id", "X-Trace-ID", "CF-RAY",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := failure(t, startService(t, withHeader(name, "r-7", respond(404, "")))); got.RequestID != "r-7" {
				t.Errorf("got the request ID %q", got.RequestID)
			}
		})
	}
	t.Run("of the service and a gateway", func(t *testing.T) {
		t.Parallel()
		handler := withHeader("Cf-Ray", "gateway", withHeader("Request-Id", "second", withHeader("X-Request-Id", "first", respond(404, ""))))
		if got := failure(t, startService(t, handler)); got.RequestID != "first" {
			t.Errorf("got the request ID %q", got.RequestID)
		}
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		collected := &logs{}
		server := startService(t, withHeader("X-Other-Id", "r-7", respond(http.StatusOK, "{}")))
		response, err := newClient(t, convo.Config{BaseURL: server.URL, Log: collected.log}).Agents(testContext(t), nil)
		if err != nil || response.RequestID != "" {
			t.Errorf("got %+v, %v", response, err)
		}
		if strings.Contains(collected.String(), "request_id") {
			t.Errorf("the log has an empty request ID: %s", collected)
		}
	})
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
		"none":                      {nil, false},
		"empty":                     {[]string{""}, false},
		"quoted":                    {[]string{`<https://svc.example/v1/agents?page=2>; rel="next"`}, true},
		"not quoted":                {[]string{`<?page=2>;rel=next`}, true},
		"upper case, spaces":        {[]string{` <?page=2> ; REL = "NEXT" `}, true},
		"several relations":         {[]string{`<?page=2>; rel="last  next"`}, true},
		"several links":             {[]string{`<?page=1>; rel="prev", <?page=2>; rel="next"`}, true},
		"several headers":           {[]string{`<?page=1>; rel=prev`, `<?page=2>; rel=next`}, true},
		"other parameters":          {[]string{`<?page=2>; title="a, b; c"; rel=next; type=x`}, true},
		"a comma in the URL":        {[]string{`<?a=1,2;3>; rel=next`}, true},
		"another relation":          {[]string{`<?page=2>; rel="prev"`}, false},
		"part of a relation":        {[]string{`<?page=2>; rel="next-archive"`}, false},
		"in the URL":                {[]string{`<?rel=next;rel="next">; rel=self`}, false},
		"no relation":               {[]string{`<?page=2>`}, false},
		"a name that ends with rel": {[]string{`<?page=2>; xrel=next`}, false},
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

// TestHalfADocument is only cut off where the connection's end is the body's: a
// service that ends its response as HTTP demands has sent all that it has.
func TestHalfADocument(t *testing.T) {
	t.Parallel()
	const half = `{"agent":{"profile":`
	tests := map[string]http.HandlerFunc{
		"with a length": withHeader("Content-Length", strconv.Itoa(len(half)), respond(http.StatusOK, half)),
		"chunked": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, half)
			_ = http.NewResponseController(w).Flush()
		},
		"compressed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			compressor := gzip.NewWriter(w)
			_, _ = io.WriteString(compressor, half)
			_ = compressor.Close()
		},
		"compressed, until the connection ends": func(w http.ResponseWriter, _ *http.Request) {
			connection, buffer, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = buffer.WriteString("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
			compressor := gzip.NewWriter(buffer)
			_, _ = io.WriteString(compressor, half)
			_, _, _ = compressor.Close(), buffer.Flush(), connection.Close()
		},
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, handler)
			response, err := newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: 3}).Agent(testContext(t), "agt_1", nil)
			if err != nil || string(response.Body) != half {
				t.Errorf("got %+v, %v; want what was sent", response, err)
			}
			server.expectRequests(t, 1)
		})
	}
}

// TestBodyUntilTheConnectionEnds: such a body is cut off where it is JSON
// without its end, and whole where it is anything else.
func TestBodyUntilTheConnectionEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`{"agent":{}}`: "", `{"agent":`: "the response ended prematurely, after 9 bytes", `[1`: "the response ended prematurely, after 2 bytes",
		"\uFEFF {": "the response ended prematurely, after 5 bytes", "<html>": "", "": "", "12": "",
	}
	for body, want := range tests {
		address, connections := accept(t, func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"+body)
		})
		response, err := newClient(t, convo.Config{BaseURL: "http://" + address, MaxRetries: 1}).Agent(testContext(t), "agt_1", nil)
		switch {
		case want == "" && (err != nil || string(response.Body) != body || connections.Load() != 1):
			t.Errorf("%q: got %+v, %v", body, response, err)
		case want != "" && (err == nil || err.Error() != "read agent: "+want || connections.Load() != 2):
			t.Errorf("%q: got %v after %d attempts, want %s", body, err, connections.Load(), want)
		}
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

func TestQuote(t *testing.T) {
	t.Parallel()
	client := newClient(t, configWithSecrets("http://127.0.0.1"))
	if got, want := client.Quote("\t ok\x1b[2J\n "+testToken+" "+secretHeader), "ok[2J *** ***"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := client.Quote(strings.Repeat("ü", 3000)), strings.Repeat("ü", 1000)+"…"; got != want {
		t.Errorf("got %d bytes", len(got))
	}
}
