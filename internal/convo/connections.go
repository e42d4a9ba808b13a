// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// maxHeaderBytes is a tenth of what net/http takes by default: as many headers
// as there are requests in flight can arrive at once.
const maxHeaderBytes = 1 << 20

// spare is how much longer than a request its dial and handshake may take: net/http
// goes on with them when the request has given up, and something has to end them.
const spare = time.Second

// connections are a client's ways to the service.
type connections struct {
	tls         *tls.Config
	proxy       func(*url.URL) (*url.URL, error)
	timeout     time.Duration // of one request
	concurrency int
	dial        func(ctx context.Context, network, address string) (net.Conn, error)

	mu     sync.Mutex
	shared *http.Transport // nil until it is needed, and after it was abandoned
}

// forMethod returns the transport that a request goes through. A POST gets a
// connection of its own: a kept one may just be closed by the other side, and
// then nobody knows whether the request took effect.
func (c *connections) forMethod(method string) *http.Transport {
	if method != http.MethodGet {
		transport := c.newTransport()
		transport.DisableKeepAlives = true
		return transport
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shared == nil {
		c.shared = c.newTransport()
	}
	return c.shared
}

// abandon has later requests dial anew: after a timeout, a connection of
// HTTP/2 would take all of them, although it may never deliver another byte.
// Requests in flight go on.
func (c *connections) abandon(transport *http.Transport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shared == transport {
		c.shared = nil
	}
	transport.CloseIdleConnections()
}

// newTransport keeps as many idle connections as there can be requests: the
// default of two per host makes most requests of a fan-out dial anew.
func (c *connections) newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  func(r *http.Request) (*url.URL, error) { return c.proxy(r.URL) },
		OnProxyConnectResponse: checkProxy,
		DialContext:            c.dial,
		// Cloned, because the transport adds to it: several clients may share one.
		TLSClientConfig:   c.tls.Clone(),
		ForceAttemptHTTP2: true,
		// A connection that has gone silent is noticed in half of the time that a
		// request may take.
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: c.timeout / 4, PingTimeout: c.timeout / 4},
		TLSHandshakeTimeout:    c.timeout + spare,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConns:           c.concurrency,
		MaxIdleConnsPerHost:    c.concurrency,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// needTLS reports whether the server of an http URL expects TLS. Such servers
// drop the connection or return a 400 in words of their own, so that only a
// handshake tells.
func (c *connections) needTLS(ctx context.Context, u *url.URL) bool {
	if proxy, err := c.proxy(u); u.Scheme != "http" || proxy != nil || err != nil {
		return false
	}
	connection, err := c.dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80")))
	if err != nil {
		return false
	}
	defer func() { _ = connection.Close() }()
	err = tls.Client(connection, &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}).HandshakeContext(ctx)
	var certificate *tls.CertificateVerificationError
	return err == nil || errors.As(err, &certificate) || reasonFor(err) == ReasonHandshake
}

// checkProxy tells what a proxy refuses from what the service refuses:
// net/http keeps nothing of it but a text.
func checkProxy(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{response.StatusCode}
}
