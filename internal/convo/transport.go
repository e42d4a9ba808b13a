// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxRedirects is how many redirects in a row are followed.
	maxRedirects = 5
	// maxDials is the number of new connections that one attempt can use. Without a
	// limit, net/http dials as fast as an HTTP/2 server that is shutting down refuses
	// requests (golang/go#52459).
	maxDials = 2 * (maxRedirects + 1)
)

// newTransport keeps one idle connection per possible request. With the default
// of two per host, most concurrent requests would require new connections.
func newTransport(config Config, proxy *url.URL) *http.Transport {
	timeout := config.RequestTimeout
	return &http.Transport{
		Proxy:                  http.ProxyURL(proxy),
		OnProxyConnectResponse: checkProxyResponse,
		// net/http continues a dial and handshake after the request has ended.
		DialContext:         (&net.Dialer{Timeout: 2 * timeout}).DialContext,
		TLSHandshakeTimeout: 2 * timeout,
		// Cloned, because the transport changes it and several clients may share it.
		TLSClientConfig:   config.TLS.Clone(),
		ForceAttemptHTTP2: true,
		// A dead connection is detected within half of the request timeout.
		HTTP2:               &http.HTTP2Config{SendPingTimeout: timeout / 4, PingTimeout: timeout / 4},
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConnsPerHost: config.MaxConcurrentRequests,
	}
}

// checkProxyResponse distinguishes refusals by a proxy from refusals by the
// service, because net/http returns only the text of the former. A retry of a
// permanent refusal could lock the proxy account.
func checkProxyResponse(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	status := response.StatusCode
	if status == http.StatusOK {
		return nil
	}
	reason := ReasonProxy
	if status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		reason = ReasonConnection
	}
	return &reasonError{reason, "the proxy returned " + response.Status + " instead of a connection to the service"}
}

// checkRedirect follows a redirect only within the origin and with the same
// method. A different host must not receive the token, and a POST that becomes
// a GET would report success without an update.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first, text := via[0], ""
	switch {
	case origin(next.URL) != origin(first.URL):
		text = fmt.Sprintf("to %s://%s, but the token is sent only to the scheme, host, and port of the base URL", next.URL.Scheme, next.URL.Host)
	case next.Method != first.Method:
		text = fmt.Sprintf("from %s to %s, which is not followed", first.Method, next.Method)
	case len(via) > maxRedirects:
		text = fmt.Sprintf("more than %d times", maxRedirects)
	default:
		return nil
	}
	return &reasonError{ReasonRedirect, "the service redirected the request " + text}
}

// origin is the scheme, host and port of a URL. The default port can be explicit
// or omitted.
func origin(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return strings.ToLower(u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port))
}
