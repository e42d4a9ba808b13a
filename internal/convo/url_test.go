// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	const (
		scheme   = "must begin with https:// or http://"
		host     = "must name a host"
		userInfo = "must not contain user information, because credentials belong in the token"
		query    = "must not contain a query"
		fragment = "must not contain a fragment"
		invalid  = "is not a URL, such as https://agents.example/api"
		space    = "must not begin or end with whitespace"
		port     = "must have a port from 1 to 65535"
	)
	tests := map[string]string{
		"https://convo.example":           "",
		"https://convo.example/":          "",
		"https://convo.example/api":       "",
		"https://convo.example/api/":      "",
		"https://convo.example:8443/a/b/": "",
		"http://127.0.0.1:8080/api":       "",
		"http://127.0.0.1:1/api":          "",
		"http://127.0.0.1:65535/api":      "",
		"http://[::1]:8080/api":           "",
		"HTTPS://CONVO.EXAMPLE/api":       "",
		"https://convo.example/a%2Fb":     "",
		"https://convo.example/a b":       "",
		"https://convo.example/api//":     "",

		"":                                scheme,
		"convo.example/api":               scheme,
		"//convo.example/api":             scheme,
		"/api":                            scheme,
		"ftp://convo.example":             scheme,
		"https://convo.example:0/api":     port,
		"https://convo.example:65536/api": port,
		"localhost:8080":                  scheme,
		"https:convo.example":             host,
		"https://":                        host,
		"https:///api":                    host,
		"https://:8443/api":               host,
		"https://me:pass@convo.example":   userInfo,
		"https://me@convo.example":        userInfo,
		"https://@convo.example":          userInfo,
		"https://convo.example?a=b":       query,
		"https://convo.example/api?":      query,
		"https://convo.example/api#a":     fragment,
		"https://convo.example/api#":      fragment,
		" https://convo.example":          space,
		"https://convo.example:port":      invalid,
		"https://convo.example/%zz":       invalid,
		"https://convo.example/api\n":     space,
		"https://convo example/api":       invalid,
		"https://[::1/api":                invalid,
		"http://convo.example\x7f/secret": invalid,
	}
	for baseURL, want := range tests {
		t.Run(baseURL, func(t *testing.T) {
			t.Parallel()
			_, err := convo.ParseBaseURL(baseURL)
			if (want == "") != (err == nil) || err != nil && err.Error() != want {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

// escapedIDs has IDs in their escaped form.
func escapedIDs() map[string]string {
	return map[string]string{
		"a/b":                    "a%2Fb",
		"../../v1/agent":         "..%2F..%2Fv1%2Fagent",
		"x/../../v1/workspaces/": "x%2F..%2F..%2Fv1%2Fworkspaces%2F",
		"/":                      "%2F",
		"...":                    "...",
		"a b":                    "a%20b",
		"100%":                   "100%25",
		"%2e%2e":                 "%252e%252e",
		"%2F":                    "%252F",
		"a?b=c":                  "a%3Fb=c",
		"a#b":                    "a%23b",
		"a+b":                    "a+b",
		"a;b,c":                  "a%3Bb%2Cc",
		`a\b"c`:                  "a%5Cb%22c",
		"line\r\nbreak":          "line%0D%0Abreak",
		"übung":                  "%C3%BCbung",
		"工作":                     "%E5%B7%A5%E4%BD%9C",
		"\xff":                   "%FF",
	}
}

// TestIDStaysOneSegment holds that for each operation and whatever the base URL
// contains.
func TestIDStaysOneSegment(t *testing.T) {
	t.Parallel()
	prefixes := map[string]string{
		"": "", "/": "", "/api": "/api", "/a/b/": "/a/b", "/a//b": "/a//b", "/a b": "/a%20b", "/ü": "/%C3%BC", "/a%20b/": "/a%20b",
		"/a\"b{c}|d^e\\f`g<h>": "/a%22b%7Bc%7D%7Cd%5Ee%5Cf%60g%3Ch%3E", "/-._~!$&'()*+,;=:@09": "/-._~!$&'()*+,;=:@09",
		"/a%2Fb": "/a%2Fb", "/%7e": "/%7e",
	}
	for _, o := range operations() {
		if !strings.Contains(o.path, "{id}") {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, respond(http.StatusOK, `{"message":"success"}`))
			sent := 0
			for prefix, sentPrefix := range prefixes {
				client := newClient(t, convo.Config{BaseURL: server.URL + prefix})
				for id, escaped := range escapedIDs() {
					if _, err := o.call(client, testContext(t), id); err != nil {
						t.Errorf("%q: %v", id, err)
						continue
					}
					sent++
					requests := server.received()
					want := sentPrefix + strings.Replace(o.path, "{id}", escaped, 1)
					if got := requests[len(requests)-1].URI; got != want {
						t.Errorf("%q: got %s, want %s", id, got, want)
					}
				}
			}
			server.expectRequests(t, sent)
		})
	}
}

func TestIDsRefusedBeforeTheyAreSent(t *testing.T) {
	t.Parallel()
	refused := map[string]string{
		"":   "must not be empty",
		".":  `"." is not a valid ID, because it has a special meaning in a URL path`,
		"..": `".." is not a valid ID, because it has a special meaning in a URL path`,
	}
	for _, o := range operations() {
		if !strings.Contains(o.path, "{id}") {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, respond(http.StatusOK, `{"message":"success"}`))
			client := newClient(t, convo.Config{BaseURL: server.URL})
			for id, want := range refused {
				_, err := o.call(client, testContext(t), id)
				for _, err := range []error{err, convo.CheckID(id)} {
					var wrong *convo.IDError
					if !errors.As(err, &wrong) || wrong.ID != id || err.Error() != want {
						t.Errorf("%q: got %v, want the *IDError %s", id, err, want)
					}
				}
			}
			server.expectRequests(t, 0)
		})
	}
	for _, id := range []string{"a", "...", ". ", "%2e", "./.."} {
		if err := convo.CheckID(id); err != nil {
			t.Errorf("CheckID(%q): %v", id, err)
		}
	}
}
