// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// redirect returns a redirect to the location, whatever it is.
func redirect(status int, location string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	}
}

func TestRedirectWithinTheOriginIsFollowed(t *testing.T) {
	t.Parallel()
	success := respond(http.StatusOK, `{"message":"success"}`)
	tests := map[string]struct {
		send   operation
		status int
		method string
		body   string
	}{
		"GET 301":  {readAgent, 301, "GET", ""},
		"GET 302":  {readAgent, 302, "GET", ""},
		"GET 303":  {readAgent, 303, "GET", ""},
		"GET 307":  {readAgent, 307, "GET", ""},
		"GET 308":  {readAgent, 308, "GET", ""},
		"POST 307": {updateSession, 307, "POST", `{"agentId":"agt_1"}`},
		"POST 308": {updateSession, 308, "POST", `{"agentId":"agt_1"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, inTurn(redirect(test.status, "/moved/a%2Fb?c=d"), success))
			client := newClient(t, convo.Config{BaseURL: server.URL, Headers: map[string]string{"X-Gateway-Key": "gateway-secret"}})
			if err := test.send(testContext(t), client); err != nil {
				t.Fatal(err)
			}
			requests := server.received()
			if len(requests) != 2 {
				t.Fatalf("got %d requests, want 2", len(requests))
			}
			got := requests[1]
			if got.Method != test.method || got.URI != "/moved/a%2Fb?c=d" || got.Body != test.body {
				t.Errorf("got %s %s with the body %q", got.Method, got.URI, got.Body)
			}
			for _, name := range []string{"Authorization", "X-Gateway-Key", "Accept", "Content-Type"} {
				if diff := cmp.Diff(requests[0].Header[name], got.Header[name]); diff != "" {
					t.Errorf("%s (-first +redirected):\n%s", name, diff)
				}
			}
		})
	}
}

func TestRedirectToTheSameOriginInFull(t *testing.T) {
	t.Parallel()
	var server *service
	server = startService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/new" {
			_, _ = io.WriteString(w, `{}`)
			return
		}
		redirect(http.StatusFound, server.URL+"/new")(w, r)
	}))
	if err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL})); err != nil {
		t.Error(err)
	}
}

func TestRedirectElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	// Each target is given the two servers' ports and returns where the
	// request must not go.
	tests := map[string]func(port, otherPort string) (location, named string){
		"other port": func(_, other string) (string, string) {
			return "http://127.0.0.1:" + other + "/steal", "http://127.0.0.1:" + other
		},
		"other host": func(_, other string) (string, string) {
			return "http://localhost:" + other + "/steal", "http://localhost:" + other
		},
		"other host, same port": func(port, _ string) (string, string) {
			return "http://localhost:" + port + "/steal", "http://localhost:" + port
		},
		"subdomain": func(string, string) (string, string) {
			return "http://evil.127.0.0.1.example/", "http://evil.127.0.0.1.example"
		},
		"other scheme": func(port, _ string) (string, string) {
			return "https://127.0.0.1:" + port + "/steal", "https://127.0.0.1:" + port
		},
		"no scheme": func(_, other string) (string, string) {
			return "//127.0.0.1:" + other + "/steal", "http://127.0.0.1:" + other
		},
		"neither user information, path nor query is named": func(_, other string) (string, string) {
			return "http://user:pass@127.0.0.1:" + other + "/p?code=q#f", "http://127.0.0.1:" + other
		},
	}
	for name, target := range tests {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			for _, status := range []int{301, 302, 303, 307, 308} {
				t.Run(name+" "+method+" "+strconv.Itoa(status), func(t *testing.T) {
					t.Parallel()
					other := startService(t, respond(http.StatusOK, `{"message":"success"}`))
					var location string
					server := newService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						redirect(status, location)(w, r)
					}))
					location, named := target(port(server.Server), port(other.Server))
					server.Start()
					err := send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
					var transport *convo.TransportError
					if !errors.As(err, &transport) || transport.Reason != convo.ReasonRedirect || transport.Attempts != 1 {
						t.Fatalf("got %v, want a *TransportError about the redirect", err)
					}
					sent := method
					if status < 304 {
						sent = "GET"
					}
					want := "the service redirected the request to " + sent + " " + named + ", but redirects are followed " +
						"only with the same method, scheme, host, and port, and at most 5 times"
					if transport.Err.Error() != want {
						t.Errorf("got %q, want %q", transport.Err, want)
					}
					server.expectRequests(t, 1)
					other.expectRequests(t, 0)
				})
			}
		}
	}
}

func port(server *httptest.Server) string {
	address := server.Listener.Addr().String()
	return address[strings.LastIndexByte(address, ':')+1:]
}

func TestRedirectThatDropsThePostIsRefused(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			server := startService(t, inTurn(redirect(status, "/elsewhere"), respond(http.StatusOK, `{"message":"success"}`)))
			err := updateSession(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
			want := "update session agent: the service redirected the request to GET " + server.URL + ", but"
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
			server.expectRequests(t, 1)
		})
	}
}

func TestRedirectLoopEnds(t *testing.T) {
	t.Parallel()
	server := startService(t, redirect(http.StatusTemporaryRedirect, "/again"))
	for name, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
		before := len(server.received())
		err := send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
		var transport *convo.TransportError
		if !errors.As(err, &transport) || transport.Reason != convo.ReasonRedirect || transport.Attempts != 1 ||
			!strings.HasSuffix(transport.Err.Error(), "at most 5 times") {
			t.Errorf("%s: got %v, want an error about the number of redirects", name, err)
		}
		server.expectRequests(t, before+6)
	}
}

func TestFiveRedirectsAreFollowed(t *testing.T) {
	t.Parallel()
	next := redirect(http.StatusFound, "/next")
	server := startService(t, inTurn(next, next, next, next, next, respond(http.StatusOK, `{}`)))
	if err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL})); err != nil {
		t.Error(err)
	}
	server.expectRequests(t, 6)
}
