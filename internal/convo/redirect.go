// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 5

// checkRedirect follows a redirect only within the origin and with the same
// method. A different host must not receive the token, and a POST that becomes
// a GET would report success without an update.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case !sameOrigin(next.URL, first.URL):
		return &redirectError{fmt.Sprintf("the service redirected the request to %s://%s. The provider does not "+
			"follow redirects to another scheme, host, or port, because it sends the token only to the server that base_url names", next.URL.Scheme, next.URL.Host)}
	case next.Method != first.Method:
		return &redirectError{fmt.Sprintf("the service redirected the request from %s to %s, which the provider does not follow",
			first.Method, next.Method)}
	case len(via) > maxRedirects:
		return &redirectError{fmt.Sprintf("the service redirected the request more than %d times", maxRedirects)}
	}
	return nil
}

// sameOrigin compares scheme, host and port. The default port can be explicit
// or omitted.
func sameOrigin(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	}
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}
