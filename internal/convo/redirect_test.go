// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
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

func TestRedirectToTheSameObjectIsFollowed(t *testing.T) {
	t.Parallel()
	const path, query = "/v1/agents/a%2Fb%20c:d/analytics/stats", "?a=1+2&timeFilter=today"
	readStats := func(ctx context.Context, c *convo.Client) error {
		_, err := c.AgentStats(ctx, "a/b c:d", "today", map[string]string{"a": "1 2"})
		return err
	}
	tests := map[string]struct {
		send     operation
		status   int
		location string
	}{
		"GET 301":                       {readAgent, 301, "/moved/v1/agents/agt_1"},
		"GET 302":                       {readAgent, 302, "/moved/v1/agents/agt_1"},
		"GET 303":                       {readAgent, 303, "/moved/v1/agents/agt_1"},
		"GET 307":                       {readAgent, 307, "/moved/v1/agents/agt_1"},
		"GET 308":                       {readAgent, 308, "/moved/v1/agents/agt_1"},
		"POST 307":                      {updateSession, 307, "/api/v1/sessions/ses_1/updateAgent"},
		"POST 308":                      {updateSession, 308, "/api/v1/sessions/ses_1/updateAgent/"},
		"the same path":                 {readAgent, 307, "/api/v1/agents/agt_1"},
		"a trailing slash":              {readAgent, 301, "/api/v1/agents/agt_1/"},
		"a relative path":               {readAgent, 301, "agt_1/"},
		"the base URL's path is absent": {readAgent, 301, "/v1/agents/agt_1"},
		"query and escapes":             {readStats, 302, "/moved" + path + query},
		"another order of the query":    {readStats, 302, "/moved" + path + "/?timeFilter=%74oday&a=1%202"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, inTurn(redirect(test.status, test.location), respond(http.StatusOK, `{"message":"success","stats":{}}`)))
			client := newClient(t, convo.Config{BaseURL: server.URL + "/api", Headers: map[string]string{"X-Gateway-Key": "gateway-secret"}})
			if err := test.send(testContext(t), client); err != nil {
				t.Fatal(err)
			}
			requests := server.received()
			if len(requests) != 2 {
				t.Fatalf("got %d requests, want 2", len(requests))
			}
			first, got := requests[0], requests[1]
			if got.Method != first.Method || got.Body != first.Body || !strings.HasSuffix("/api/v1/agents/"+test.location, got.URI) {
				t.Errorf("got %s %s with the body %q", got.Method, got.URI, got.Body)
			}
			for _, name := range []string{"Authorization", "X-Gateway-Key", "Accept", "Content-Type"} {
				if diff := cmp.Diff(first.Header[name], got.Header[name]); diff != "" {
					t.Errorf("%s (-first +redirected):\n%s", name, diff)
				}
			}
		})
	}
}

// What another path or query returns would be mistaken for the requested object.
func TestRedirectToAnotherObjectIsRefused(t *testing.T) {
	t.Parallel()
	agents := func(ctx context.Context, c *convo.Client) error {
		_, err := c.Agents(ctx, map[string]string{"workspaceId": "w"})
		return err
	}
	tests := map[string]struct {
		send            operation
		location, named string
	}{
		"another agent":              {readAgent, "/v1/agents/agt_2", "GET /v1/agents/agt_2"},
		"a longer ID":                {readAgent, "/v1/agents/xagt_1", "GET /v1/agents/xagt_1"},
		"letter case":                {readAgent, "/v1/agents/AGT_1", "GET /v1/agents/AGT_1"},
		"the list":                   {readAgent, "/v1/agents/", "GET /v1/agents/"},
		"the statistics":             {readAgent, "/v1/agents/agt_1/analytics/stats", "GET /v1/agents/agt_1/analytics/stats"},
		"another version":            {readAgent, "/v2/agents/agt_1", "GET /v2/agents/agt_1"},
		"an ID with a slash":         {readAgent, "/v1%2Fagents/agt_1", "GET /v1%2Fagents/agt_1"},
		"an empty segment":           {readAgent, "/v1//agents/agt_1", "GET /v1//agents/agt_1"},
		"a login page":               {readAgent, "/login;jsessionid=secret?code=secret#secret", "GET /login"},
		"a secret in the path":       {readAgent, "/login/" + testToken, "GET /login/***"},
		"a list without the query":   {agents, "/v1/agents/", "GET /v1/agents/"},
		"a list with another query":  {agents, "/v1/agents?workspaceId=v", "GET /v1/agents"},
		"a list with a longer query": {agents, "/v1/agents?workspaceId=w&page=2", "GET /v1/agents"},
		"another session":            {updateSession, "/v1/sessions/ses_2/updateAgent", "POST /v1/sessions/ses_2/updateAgent"},
		"another update":             {updateSession, "/v1/sessions/ses_1/end", "POST /v1/sessions/ses_1/end"},
		"another tenant's session":   {updateSession, "/b/v1/sessions/ses_1/updateAgent", "POST /b/v1/sessions/ses_1/updateAgent"},
		"another session, nested": {
			updateSession, "/v1/sessions/ses_2/updateAgent/v1/sessions/ses_1/updateAgent",
			"POST /v1/sessions/ses_2/updateAgent/v1/sessions/ses_1/updateAgent",
		},
		"another session's query": {updateSession, "/v1/sessions/ses_1/updateAgent?sessionId=ses_2;", "POST /v1/sessions/ses_1/updateAgent"},
	}
	for name, test := range tests {
		for _, status := range []int{307, 308} {
			t.Run(name+" "+strconv.Itoa(status), func(t *testing.T) {
				t.Parallel()
				server := startService(t, inTurn(redirect(status, test.location), respond(http.StatusOK, `{"message":"success"}`)))
				err := test.send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
				method, path, _ := strings.Cut(test.named, " ")
				requireRefusedRedirect(t, err, method+" "+server.URL+path)
				server.expectRequests(t, 1)
			})
		}
	}
}

// requireRefusedRedirect requires the error about a redirect to the given target.
func requireRefusedRedirect(t *testing.T, err error, target string) {
	t.Helper()
	var transport *convo.TransportError
	if !errors.As(err, &transport) || transport.Reason != convo.ReasonRedirect || transport.Attempts != 1 {
		t.Fatalf("got %v, want a *TransportError about the redirect", err)
	}
	want := "the service redirected the request to " + target + ", but redirects are followed at most 5 times, and only with the same " +
		"method, scheme, host, port, query, and "
	if transport.Operation == "update session agent" {
		want += "path"
	} else {
		want += "end of the path"
	}
	if transport.Err.Error() != want {
		t.Errorf("got %q, want %q", transport.Err, want)
	}
}

func TestRedirectToTheSameOriginInFull(t *testing.T) {
	t.Parallel()
	var server *service
	server = startService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/new/v1/agents/agt_1" {
			_, _ = io.WriteString(w, `{}`)
			return
		}
		redirect(http.StatusFound, server.URL+"/new/v1/agents/agt_1")(w, r)
	}))
	if err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL})); err != nil {
		t.Error(err)
	}
}

// The path, the query, and the method are those of the request, so that only the origin
// is a reason to refuse a redirect.
func TestRedirectElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	// Each origin is given the two servers' ports, and the origin that the error names.
	tests := map[string]func(port, otherPort string) (origin, named string){
		"other port":            func(_, other string) (string, string) { return "http://127.0.0.1:" + other, "" },
		"other host":            func(_, other string) (string, string) { return "http://localhost:" + other, "" },
		"other host, same port": func(port, _ string) (string, string) { return "http://localhost:" + port, "" },
		"subdomain":             func(port, _ string) (string, string) { return "http://evil.127.0.0.1.example:" + port, "" },
		"other scheme":          func(port, _ string) (string, string) { return "https://127.0.0.1:" + port, "" },
		"no scheme":             func(_, other string) (string, string) { return "//127.0.0.1:" + other, "http://127.0.0.1:" + other },
		"user information is not named": func(_, other string) (string, string) {
			return "http://user:pass@127.0.0.1:" + other, "http://127.0.0.1:" + other
		},
	}
	for name, target := range tests {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			for _, status := range []int{301, 302, 303, 307, 308} {
				t.Run(name+" "+method+" "+strconv.Itoa(status), func(t *testing.T) {
					t.Parallel()
					other := startService(t, respond(http.StatusOK, `{"message":"success"}`))
					var origin string
					server := newService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						redirect(status, origin+r.RequestURI)(w, r)
					}))
					origin, named := target(port(server.Server), port(other.Server))
					server.Start()
					err := send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
					sent := method
					if status < 304 {
						sent = "GET"
					}
					if named == "" {
						named = origin
					}
					requireRefusedRedirect(t, err, sent+" "+named)
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
			server := startService(t, inTurn(redirect(status, "/v1/sessions/ses_1/updateAgent"), respond(http.StatusOK, `{"message":"success"}`)))
			err := updateSession(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
			requireRefusedRedirect(t, err, "GET "+server.URL+"/v1/sessions/ses_1/updateAgent")
			server.expectRequests(t, 1)
		})
	}
}

func TestRedirectLoopEnds(t *testing.T) {
	t.Parallel()
	server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		redirect(http.StatusTemporaryRedirect, r.RequestURI)(w, r)
	}))
	for target, send := range map[string]operation{"GET /v1/agents/agt_1": readAgent, "POST /v1/sessions/ses_1/updateAgent": updateSession} {
		before := len(server.received())
		err := send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
		requireRefusedRedirect(t, err, strings.Replace(target, " ", " "+server.URL, 1))
		server.expectRequests(t, before+6)
	}
}

func TestFiveRedirectsAreFollowed(t *testing.T) {
	t.Parallel()
	next := redirect(http.StatusFound, "/next/v1/agents/agt_1")
	server := startService(t, inTurn(next, next, next, next, next, respond(http.StatusOK, `{}`)))
	if err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL})); err != nil {
		t.Error(err)
	}
	server.expectRequests(t, 6)
}
