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
		absolute = "must be an absolute https or http URL, such as https://agents.example/api"
		parts    = "must not contain user information, a query, or a fragment. Remove them"
		space    = "must not begin or end with whitespace, such as a line break. Remove it"
		port     = "must not contain a port above 65535. Correct the port"
		path     = "must have a percent-encoded path. Encode all of its special characters"
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

		"":                                absolute,
		"convo.example/api":               absolute,
		"//convo.example/api":             absolute,
		"/api":                            absolute,
		"https://convo.example/api ":      space,
		"ftp://convo.example":             absolute,
		"localhost:8080":                  absolute,
		"https:convo.example":             absolute,
		"https://":                        absolute,
		"https:///api":                    absolute,
		"https://:8443/api":               absolute,
		"https://me:pass@convo.example":   parts,
		"https://me@convo.example":        parts,
		"https://@convo.example":          parts,
		"https://convo.example/api/v1":    "must not end in /v1, because the provider appends it. Remove /v1 from the end",
		"https://convo.example?a=b":       parts,
		"https://convo.example/api?":      parts,
		"https://convo.example/api#a":     parts,
		"https://convo.example/api#":      parts,
		" https://convo.example":          space,
		"\"https://convo.example\"":       absolute,
		"http://a:hunter/22@b.example:c":  absolute,
		"https://convo.example/%zz?a=b":   absolute,
		"eyJhbGciOi.token":                absolute,
		"https://convo.example:port":      absolute,
		"https://convo.example:65536/api": port,
		"https://[::1]:99999999999999999": port,
		"https://convo.example/%zz":       absolute,
		"https://convo.example/api\n":     space,
		"https://convo.example/a%2Fb c/d": path,
		"https://convo.example/ü%2Fb/":    path,
		"https://convo.example/a%2Fb\"":   path,
		"https://convo example/api":       absolute,
		"https://[::1/api":                absolute,
		"http://convo.example\x7f/secret": absolute,
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
			server := startService(t, respond(http.StatusOK, o.response))
			sent := 0
			for prefix, sentPrefix := range prefixes {
				client := newClient(t, convo.Config{BaseURL: server.URL + prefix})
				for id, escaped := range escapedIDs() {
					if _, err := o.call(testContext(t), client, id); err != nil {
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
	for _, o := range operations() {
		if !strings.Contains(o.path, "{id}") {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, respond(http.StatusOK, o.response))
			client := newClient(t, convo.Config{BaseURL: server.URL})
			for _, id := range []string{"", ".", ".."} {
				_, err := o.call(testContext(t), client, id)
				if !errors.Is(err, convo.ErrID) || !errors.Is(convo.CheckID(id), convo.ErrID) {
					t.Errorf("%q: got %v, want ErrID", id, err)
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
