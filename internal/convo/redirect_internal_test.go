// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"errors"
	"net/http"
	"net/url"
	"testing"
)

// TestOrigin compares origins as they are written: only the default port and
// the case of a host can be written in two ways.
func TestOrigin(t *testing.T) {
	t.Parallel()
	tests := []struct {
		from, to string
		same     bool
	}{
		{"https://svc.example/api", "https://svc.example/other", true},
		{"https://svc.example/api", "https://svc.example:443/api", true},
		{"https://svc.example:443/api", "https://svc.example/api", true},
		{"http://svc.example/api", "http://svc.example:80/api", true},
		{"https://svc.example/api", "https://SVC.example/api", true},
		{"https://[2001:db8::1]/api", "https://[2001:DB8::1]:443/api", true},
		{"https://svc.example:8443/", "https://svc.example:8443/api", true},
		{"https://svc.example/api", "http://svc.example/api", false},
		{"http://svc.example/api", "https://svc.example/api", false},
		{"https://svc.example:80/", "http://svc.example/", false},
		{"https://svc.example/", "https://svc.example:80/", false},
		{"http://svc.example/", "http://svc.example:443/", false},
		{"https://svc.example/", "https://svc.example:8443/", false},
		{"https://svc.example/", "https://www.svc.example/", false},
		{"https://www.svc.example/", "https://svc.example/", false},
		{"https://svc.example/", "https://svc.example.evil.example/", false},
		{"https://svc.example/", "https://svc.example@evil.example/", false},
		{"https://svc.example/", "https://svc.example./", false},
	}
	for _, test := range tests {
		from, to := parse(t, test.from), parse(t, test.to)
		err := checkRedirect(&http.Request{Method: "GET", URL: to}, []*http.Request{{Method: "GET", URL: from}})
		var refused *redirectError
		if (err == nil) != test.same || err != nil && !errors.As(err, &refused) {
			t.Errorf("%s to %s: got %v, same origin: %t", test.from, test.to, err, test.same)
		}
	}
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
