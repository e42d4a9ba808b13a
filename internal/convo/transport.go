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
	"sync"
	"time"
)

const (
	// maxRedirects is how many redirects in a row are followed.
	maxRedirects = 5
	// maxNewConnections is the number of new connections that one attempt can use,
	// one for each redirect and some more. Without a limit, net/http dials as fast as
	// an HTTP/2 server refuses requests (golang/go#52459).
	maxNewConnections = 2 * (maxRedirects + 1)
	// maxHeaderBytes is a tenth of the default of net/http, because each request in
	// flight can receive headers of this size.
	maxHeaderBytes = 1 << 20
	// spare is the time that a dial and handshake can take beyond the request
	// timeout. net/http continues them after the request has ended, so they need a
	// timeout of their own.
	spare = time.Second
)

// transports creates and holds a client's transports.
type transports struct {
	config Config
	proxy  func(*url.URL) (*url.URL, error)

	mu     sync.Mutex
	shared *http.Transport // nil before it is used, and after it was discarded
}

// forMethod returns the transport that a request goes through. A POST uses a new
// connection. If the service closed an idle connection during the request, the
// client could not determine whether the request took effect. HTTP/2 would be of
// no use on it, and can make net/http dial again.
func (t *transports) forMethod(method string) *http.Transport {
	if method != http.MethodGet {
		transport := t.newTransport()
		transport.DisableKeepAlives = true
		transport.Protocols = &http.Protocols{}
		transport.Protocols.SetHTTP1(true)
		return transport
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shared == nil {
		t.shared = t.newTransport()
	}
	return t.shared
}

// discard makes later requests use new connections. After a timeout, an HTTP/2
// connection may be dead, but all later requests would use it. Requests in
// flight continue.
func (t *transports) discard(transport *http.Transport) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shared == transport {
		t.shared = nil
	}
	transport.CloseIdleConnections()
}

// newTransport keeps one idle connection per possible request. With the default
// of two per host, most concurrent requests would require new connections.
func (t *transports) newTransport() *http.Transport {
	timeout := t.config.RequestTimeout
	return &http.Transport{
		Proxy:                  func(r *http.Request) (*url.URL, error) { return t.proxy(r.URL) },
		OnProxyConnectResponse: checkProxyResponse,
		DialContext:            (&net.Dialer{Timeout: timeout + spare}).DialContext,
		// Cloned, because the transport changes it and several clients may share it.
		TLSClientConfig:   t.config.TLS.Clone(),
		ForceAttemptHTTP2: true,
		// A dead connection is detected within half of the request timeout.
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: timeout / 4, PingTimeout: timeout / 4},
		TLSHandshakeTimeout:    timeout + spare,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConns:           t.config.MaxConcurrentRequests,
		MaxIdleConnsPerHost:    t.config.MaxConcurrentRequests,
		MaxResponseHeaderBytes: maxHeaderBytes,
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
	e := &reasonError{ReasonProxy, "the proxy returned " + statusText(status) + " instead of a connection to the service"}
	if status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		e.reason = ReasonConnection
	}
	return e
}

// checkRedirect follows a redirect only within the origin and with the same
// method. A different host must not receive the token, and a POST that becomes
// a GET would report success without an update.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case !sameOrigin(next.URL, first.URL):
		return &reasonError{ReasonRedirect, fmt.Sprintf("the service redirected the request to %s://%s, but the token is sent only to the scheme, host, "+
			"and port of the base URL", next.URL.Scheme, next.URL.Host)}
	case next.Method != first.Method:
		return &reasonError{ReasonRedirect, fmt.Sprintf("the service redirected the request from %s to %s, which is not followed",
			first.Method, next.Method)}
	case len(via) > maxRedirects:
		return &reasonError{ReasonRedirect, fmt.Sprintf("the service redirected the request more than %d times", maxRedirects)}
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
