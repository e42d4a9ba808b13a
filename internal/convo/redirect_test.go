// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// redirect returns a redirect to the location, whatever it is.
func redirect(status int, location string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	}
}

// A redirect is an error, and nothing is sent to its target. The error names the path only
// at the same origin.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	other := startService(t, respond(http.StatusOK, `{"message":"success"}`))
	elsewhere := "http://" + other.Listener.Addr().String()
	tests := map[string]struct {
		location string
		named    string // after the server's URL if it begins with a slash
	}{
		"the same path":                  {"/v1/agents/agt_1", "/v1/agents/agt_1"},
		"a trailing slash":               {"/v1/agents/agt_1/", "/v1/agents/agt_1/"},
		"another agent":                  {"/v1/agents/agt_2", "/v1/agents/agt_2"},
		"escapes":                        {"/v1/agents/a%2Fb", "/v1/agents/a%2Fb"},
		"a login page":                   {"/login;jsessionid=secret?code=secret#secret", "/login"},
		"a secret in the path":           {"/login/" + testToken, "/login/***"},
		"another port":                   {elsewhere + "/v1/agents/agt_1", elsewhere},
		"another port, without a scheme": {strings.TrimPrefix(elsewhere, "http:") + "/v1/agents/agt_1", elsewhere},
		"another scheme":                 {strings.Replace(elsewhere, "http:", "https:", 1) + "/secret", strings.Replace(elsewhere, "http:", "https:", 1)},
		"user information":               {strings.Replace(elsewhere, "//", "//user:pass@", 1), elsewhere},
	}
	for name, test := range tests {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			for _, status := range []int{301, 302, 303, 307, 308} {
				t.Run(name+" "+method+" "+strconv.Itoa(status), func(t *testing.T) {
					t.Parallel()
					server := startService(t, inTurn(redirect(status, test.location), respond(http.StatusOK, `{"message":"success"}`)))
					err := send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
					named := test.named
					if strings.HasPrefix(named, "/") {
						named = server.URL + named
					}
					want := "the service redirected the request to " + named + ", but redirects are not followed"
					var transport *convo.TransportError
					if !errors.As(err, &transport) || transport.Reason != convo.ReasonRedirect || transport.Attempts != 1 || transport.Err.Error() != want {
						t.Errorf("got %v, want %q", err, want)
					}
					server.expectRequests(t, 1)
					other.expectRequests(t, 0)
				})
			}
		}
	}
}
