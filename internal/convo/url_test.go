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
	)
	for baseURL, want := range map[string]string{
		"https://convo.example":           "",
		"https://convo.example:8443/a/b/": "",
		"http://[::1]:8080/api":           "",
		"HTTPS://CONVO.EXAMPLE/a%2Fb":     "",

		"":                               absolute,
		"convo.example/api":              absolute,
		"ftp://convo.example":            absolute,
		"localhost:8080":                 absolute,
		"https:///api":                   absolute,
		"\"https://convo.example\"":      absolute,
		"http://a:hunter/22@b.example:c": absolute,
		"https://convo.example/%zz":      absolute,
		"https://me:pass@convo.example":  parts,
		"https://convo.example?a=b":      parts,
		"https://convo.example/api?":     parts,
		"https://convo.example/api#":     parts,
		" https://convo.example":         space,
		"https://convo.example/api\n":    space,
		"https://convo.example/a%2Fb c":  "must have a percent-encoded path. Encode all of its special characters",
		"https://convo.example/api/v1":   "must not end in /v1, because the provider appends it. Remove /v1 from the end",
	} {
		_, err := convo.ParseBaseURL(baseURL)
		if (want == "") != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("%q: got %v, want %q", baseURL, err, want)
		}
	}
}

// TestIDStaysOneSegment holds that for each operation and whatever the base URL
// contains.
func TestIDStaysOneSegment(t *testing.T) {
	t.Parallel()
	prefixes := map[string]string{
		"/": "", "/a/b/": "/a/b", "/a b": "/a%20b", "/ü": "/%C3%BC", "/a%2Fb": "/a%2Fb", "/-._~!$&'()*+,;=:@09": "/-._~!$&'()*+,;=:@09",
	}
	ids := map[string]string{
		"x/../../v1/workspaces/": "x%2F..%2F..%2Fv1%2Fworkspaces%2F",
		"...":                    "...",
		"%2e%2e":                 "%252e%252e",
		"a?b=c#d":                "a%3Fb=c%23d",
		"a;b,c+d":                "a%3Bb%2Cc+d",
		"line\r\nbreak\\\"":      "line%0D%0Abreak%5C%22",
		"übung 工作\xff":           "%C3%BCbung%20%E5%B7%A5%E4%BD%9C%FF",
	}
	for _, o := range operations() {
		if !strings.Contains(o.path, "{id}") {
			continue
		}
		server := startService(t, respond(http.StatusOK, o.response))
		sent := 0
		for prefix, sentPrefix := range prefixes {
			client := newClient(t, convo.Config{BaseURL: server.URL + prefix})
			for id, escaped := range ids {
				if _, err := o.call(testContext(t), client, id); err != nil {
					t.Fatalf("%s, %q: %v", o.noun, id, err)
				}
				want := sentPrefix + strings.Replace(o.path, "{id}", escaped, 1)
				if got := server.received()[sent].URI; got != want {
					t.Errorf("%s, %q: got %s, want %s", o.noun, id, got, want)
				}
				sent++
			}
			for _, id := range []string{"", ".", ".."} {
				if _, err := o.call(testContext(t), client, id); !errors.Is(err, convo.ErrID) {
					t.Errorf("%s, %q: got %v, want ErrID", o.noun, id, err)
				}
			}
		}
		server.expectRequests(t, sent)
	}
}
