// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"net/http"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

func TestCheckBaseURL(t *testing.T) {
	t.Parallel()
	const (
		scheme   = "must begin with https:// or http://"
		host     = "must name a host"
		userInfo = "must not contain user information: credentials belong into the token"
		query    = "must not contain a query"
		fragment = "must not contain a fragment"
		slashes  = "must end in at most one slash"
		invalid  = "is not a URL, such as https://agents.example/api"
		space    = "must not begin or end with white space"
		port     = "must have a port from 1 to 65535, or none"
	)
	tests := map[string]string{
		"https://convo.example":           "",
		"https://convo.example/":          "",
		"https://convo.example/api":       "",
		"https://convo.example/api/":      "",
		"https://convo.example:8443/a/b/": "",
		"http://127.0.0.1:8080/api":       "",
		"http://[::1]:8080/api":           "",
		"HTTPS://CONVO.EXAMPLE/api":       "",
		"https://convo.example/a%2Fb":     "",

		"":                                scheme,
		"convo.example/api":               scheme,
		"//convo.example/api":             scheme,
		"/api":                            scheme,
		"ftp://convo.example":             scheme,
		"localhost:8080":                  scheme,
		"https:convo.example":             scheme,
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
		"https://convo.example//":         slashes,
		"https://convo.example/api//":     slashes,
		" https://convo.example":          space,
		"https://convo.example:99999":     port,
		"https://convo.example:0":         port,
		"https://convo.example:port":      invalid,
		"https://convo.example/%zz":       invalid,
		"https://convo.example/api\n":     space,
		"https://convo example/api":       invalid,
		"https://[::1/api":                invalid,
		"http://convo.example\x7f/secret": invalid,
	}
	for address, want := range tests {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			err := convo.CheckBaseURL(address)
			if (want == "") != (err == nil) || err != nil && err.Error() != want {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config convo.Config
		want   string
	}{
		"no base URL": {convo.Config{Token: "t"}, "base URL: must begin with https:// or http://"},
		"a base URL with a query": {
			convo.Config{BaseURL: "https://convo.example?a=b", Token: "t"}, "base URL: must not contain a query",
		},
		"no token": {convo.Config{BaseURL: "https://convo.example"}, "token: must not be empty"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := convo.New(test.config)
			if client != nil || err == nil || err.Error() != test.want {
				t.Errorf("got %v, %v; want the error %q", client, err, test.want)
			}
		})
	}
}

func TestBaseURLPrefix(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":          "/v1/agents/agt_1",
		"/":         "/v1/agents/agt_1",
		"/api":      "/api/v1/agents/agt_1",
		"/api/":     "/api/v1/agents/agt_1",
		"/a/b/":     "/a/b/v1/agents/agt_1",
		"/a%2Fb/":   "/a%2Fb/v1/agents/agt_1",
		"/a//b":     "/a//b/v1/agents/agt_1",
		"/api%20x/": "/api%20x/v1/agents/agt_1",
	}
	for prefix, want := range tests {
		t.Run(prefix, func(t *testing.T) {
			t.Parallel()
			server := startService(t, answer(http.StatusOK, `{}`))
			client := newClient(t, convo.Config{BaseURL: server.URL + prefix})
			if err := readAgent(testContext(t), client); err != nil {
				t.Fatal(err)
			}
			if got := server.received()[0].URI; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestMaxConcurrentRequests(t *testing.T) {
	t.Parallel()
	for given, want := range map[int]int{0: 16, 1: 1, 40: 40} {
		client := newClient(t, convo.Config{BaseURL: "http://127.0.0.1", MaxConcurrentRequests: given})
		if got := client.MaxConcurrentRequests(); got != want {
			t.Errorf("%d: got %d, want %d", given, got, want)
		}
	}
}
