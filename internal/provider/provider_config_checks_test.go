// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

func TestCheckBaseURL(t *testing.T) {
	t.Parallel()
	const (
		scheme   = "must begin with https:// or http://"
		host     = "must name a host"
		userInfo = "must not contain user information, because credentials belong in the token"
		query    = "must not contain a query"
		fragment = "must not contain a fragment"
		slashes  = "must end in at most one slash"
		invalid  = "is not a URL, such as https://agents.example/api"
		space    = "must not begin or end with whitespace"
		port     = "must have a port from 1 to 65535, or none"
		version  = "must not end in /v1, because the provider appends it. Remove /v1 from the end"
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
		"https://convo.example/v1/api":    "",
		"https://convo.example/apiv1":     "",
		"https://convo.example/v10":       "",

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
		"https://convo.example:65536":     port,
		"https://convo.example:0":         port,
		"https://convo.example:port":      invalid,
		"https://convo.example/%zz":       invalid,
		"https://convo.example/api\n":     space,
		"https://convo example/api":       invalid,
		"https://[::1/api":                invalid,
		"http://convo.example\x7f/secret": invalid,
		"https://convo.example/v1":        version,
		"https://convo.example/api/v1/":   version,
		"https://convo.example/api/%761":  version,
	}
	for baseURL, want := range tests {
		t.Run(baseURL, func(t *testing.T) {
			t.Parallel()
			err := checkBaseURL(baseURL)
			if (want == "") != (err == nil) || err != nil && err.Error() != want {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

func TestCheckHeaderName(t *testing.T) {
	t.Parallel()
	const (
		itself     = " cannot be set, because the provider sets it. Remove it from the headers argument"
		connection = " cannot be set, because it applies to a single connection and does not reach the service. Remove it from the headers argument"
		proxy      = " cannot be set, because it is for a proxy. Put the proxy's credentials in the URL in HTTPS_PROXY or HTTP_PROXY"
		invalid    = "must have a name of letters, digits, and hyphens"
	)
	tests := map[string]string{
		"X-Gateway-Key": "", "Cookie": "", "Proxy": "", "Tenant": "", "x_y": "", "Proxy-Authorization": "", "proxy-authorization": "",

		"": invalid, "a b": invalid, "a:": invalid, "ü": invalid,
		"authorization":     "authorization cannot be set, because the provider sends the token in it. Remove it from the headers argument",
		"Accept":            "Accept" + itself,
		"Accept-Encoding":   "Accept-Encoding" + itself,
		"content-length":    "content-length" + itself,
		"Content-Type":      "Content-Type" + itself,
		"HOST":              "HOST" + itself,
		"Transfer-Encoding": "Transfer-Encoding" + itself,
		"User-Agent":        "User-Agent" + itself,
		"Connection":        "Connection" + connection,
		"Expect":            "Expect" + connection,
		"HTTP2-Settings":    "HTTP2-Settings" + connection,
		"Keep-Alive":        "Keep-Alive" + connection,
		"TE":                "TE" + connection,
		"Trailer":           "Trailer" + connection,
		"Upgrade":           "Upgrade" + connection,
		"Proxy-Connection":  "Proxy-Connection" + proxy,
		"proxy-secret":      "proxy-secret" + proxy,
	}
	for name, want := range tests {
		err := checkHeaderName(name)
		if (want == "") != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
		if got := requiresTLS(name); got != (strings.ToLower(name) == "proxy-authorization") {
			t.Errorf("%q: requires TLS: %t", name, got)
		}
	}
}
