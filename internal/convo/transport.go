// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"net/http"
	"net/url"
	"time"
)

// newTransport keeps one idle connection per possible request. With the default
// of two per host, most concurrent requests would require new connections. It opens
// no more than that: while net/http opens a connection for a request, another one can
// become idle, which the request then uses, so that there would be one too many.
func newTransport(config Config, proxy *url.URL) *http.Transport {
	// With HTTP/2, all requests share a connection. By default, net/http neither
	// detects a dead one nor limits the attempts to replace one that the server shuts
	// down (golang/go#52459).
	http1 := &http.Protocols{}
	http1.SetHTTP1(true)
	return &http.Transport{
		Proxy:               http.ProxyURL(proxy),
		TLSClientConfig:     config.TLS,
		Protocols:           http1,
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConnsPerHost: config.MaxConcurrentRequests,
		MaxConnsPerHost:     config.MaxConcurrentRequests,
		// Only a connection that outlasts its request can reach this timeout.
		TLSHandshakeTimeout: config.RequestTimeout + time.Second,
	}
}

// redirected returns the error of a redirect. The API documents none: another host must not
// receive the token, a POST that becomes a GET would report success without an update, and
// what another path returns could pass for the requested object. The error does not contain
// the path and the query, which can contain a session's secret.
func redirected(to *url.URL) error {
	target := to.Scheme + "://" + to.Host
	return &reasonError{ReasonRedirect, "the service redirected the request to " + target + ", but redirects are not followed"}
}
