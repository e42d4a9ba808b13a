// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// newHTTPClient returns a client that follows no redirects. The API documents none: another
// host must not receive the token, a POST that becomes a GET would report success without an
// update, and what another path returns could pass for the requested object.
//
// It keeps one idle connection per possible request. With the default of two per host, most
// concurrent requests would require new connections. It opens no more than that: while
// net/http opens a connection for a request, another one can become idle, which the request
// then uses, so that there would be one too many.
func (c *Client) newHTTPClient(keepAlive bool) *http.Client {
	// With HTTP/2, all requests share a connection. By default, net/http neither
	// detects a dead one nor limits the attempts to replace one that the server shuts
	// down (golang/go#52459).
	http1 := &http.Protocols{}
	http1.SetHTTP1(true)
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       c.config.RequestTimeout,
		Transport: &http.Transport{
			Proxy:                  http.ProxyURL(c.proxy),
			OnProxyConnectResponse: refused,
			TLSClientConfig:        c.config.TLS,
			Protocols:              http1,
			DisableKeepAlives:      !keepAlive,
			IdleConnTimeout:        90 * time.Second,
			MaxIdleConnsPerHost:    c.config.MaxConcurrentRequests,
			MaxConnsPerHost:        c.config.MaxConcurrentRequests,
			// Only a connection that outlasts its request can reach this timeout.
			TLSHandshakeTimeout: c.config.RequestTimeout + time.Second,
		},
	}
}

// refused returns the error of a proxy that does not connect to the service. If it could
// not, that can be temporary.
func refused(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &Error{Problem: response.Status, IsTemporary: response.StatusCode >= http.StatusInternalServerError}
}
