// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// redirect returns a redirect to the location, whatever it is.
func redirect(status int, location string) http.HandlerFunc {
	return withHeader("Location", location, respond(status, "Go to "+location))
}

// A redirect is an error, and nothing is sent to its target. The error names no path.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	other := startService(t, respond(http.StatusOK, `{"message":"success"}`))
	host := "//" + other.Listener.Addr().String()
	for location, named := range map[string]string{
		"/login/secret;jsessionid=secret?code=secret":  "",
		"http:" + host + "/v1/agents/agt_1":            "http:" + host,
		"https:" + host + "/secret":                    "https:" + host,
		strings.Replace(host, "//", "//user:pass@", 1): "http:" + host,
	} {
		for status, send := range map[int]operation{300: readAgent, 302: readAgent, 305: readAgent, 307: updateSession} {
			server := startService(t, redirect(status, location))
			want := "the service redirected the request to " + cmp.Or(named, server.URL) + ", but redirects are not followed"
			err := send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
			if e := asError(t, err); e.Status != status || e.Problem != want || e.Excerpt != "" {
				t.Errorf("%d: got %+v, want %q", status, err, want)
			}
			expectRequests(t, server, 1)
		}
	}
	expectRequests(t, other, 0)

	// Without a target, only the status is known.
	server := startService(t, respond(http.StatusFound, "Go to secret"))
	err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL}))
	if e := asError(t, err); e.Status != http.StatusFound || e.Reason != convo.ReasonNotTheService || e.Excerpt != "" {
		t.Errorf("got %+v", err)
	}
}

// TestUnreadableRedirect: net/http quotes the target of such a redirect.
func TestUnreadableRedirect(t *testing.T) {
	t.Parallel()
	server := startService(t, redirect(http.StatusFound, "http://%zz/?token="+testToken))
	collected := &logs{}
	client := newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4), Log: collected.log, LogRetry: collected.log})
	_, err := client.Agents(testContext(t), map[string]string{"search": "query-value"})
	const want = "the service returned a redirect to something that is not a URL"
	if text := fmt.Sprintf("%v %+v %s", err, err, collected); err == nil || err.Error() != want || strings.Contains(text, testToken) || strings.Contains(text, "query-value") {
		t.Errorf("got %s, want %s", text, want)
	}
	expectRequests(t, server, 1)
}
