// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

func TestCheckBaseURL(t *testing.T) {
	t.Parallel()
	const version = "must not end in /v1, because the provider appends it. Remove /v1 from the end"
	for baseURL, want := range map[string]string{
		"https://convo.example/api":      "",
		"https://convo.example/v1/api":   "",
		"https://convo.example/apiv1":    "",
		"https://convo.example/v10":      "",
		"https://convo.example?a=b":      "must not contain a query",
		"https://convo.example/v1":       version,
		"https://convo.example/api/v1/":  version,
		"https://convo.example/api/%761": version,
	} {
		err := checkBaseURL(baseURL)
		if (want == "") != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("%s: got %v, want %q", baseURL, err, want)
		}
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
