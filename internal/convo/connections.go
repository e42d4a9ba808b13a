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

// maxHeaderBytes is a tenth of the default of net/http, because each request in
// flight can receive headers of this size.
const maxHeaderBytes = 1 << 20

// spare is the time that a dial and handshake can take beyond the request
// timeout. net/http continues them after the request has ended, so they need a
// timeout of their own.
const spare = time.Second

// connections creates and holds a client's transports.
type connections struct {
	tls         *tls.Config
	proxy       func(*url.URL) (*url.URL, error)
	timeout     time.Duration // of one request
	concurrency int
	dial        func(ctx context.Context, network, address string) (net.Conn, error)

	mu     sync.Mutex
	shared *http.Transport // nil before it is used, and after it was abandoned
}

// newDialer returns a dialer that does not end before a request with the given
// timeout.
func newDialer(timeout time.Duration) *net.Dialer { return &net.Dialer{Timeout: timeout + spare} }

// forMethod returns the transport that a request goes through. A POST uses a
// new connection. If the service closed an idle connection during the request,
// the client could not determine whether the request took effect.
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

// abandon makes later requests use new connections. After a timeout, an HTTP/2
// connection may be dead, but all later requests would use it. Requests in
// flight continue.
func (c *connections) abandon(transport *http.Transport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shared == transport {
		c.shared = nil
	}
	transport.CloseIdleConnections()
}

// newTransport keeps one idle connection per possible request. With the default
// of two per host, most concurrent requests would require new connections.
func (c *connections) newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  func(r *http.Request) (*url.URL, error) { return c.proxy(r.URL) },
		OnProxyConnectResponse: checkProxy,
		DialContext:            c.dial,
		// Cloned, because the transport changes it and several clients may share it.
		TLSClientConfig:   c.tls.Clone(),
		ForceAttemptHTTP2: true,
		// A dead connection is detected within half of the request timeout.
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: c.timeout / 4, PingTimeout: c.timeout / 4},
		TLSHandshakeTimeout:    c.timeout + spare,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConns:           c.concurrency,
		MaxIdleConnsPerHost:    c.concurrency,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// needTLS reports whether the server of an http URL expects TLS. Such servers
// close the connection or return a 400 with an arbitrary text, so only a
// handshake is reliable.
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

// checkProxy distinguishes refusals by a proxy from refusals by the service,
// because net/http returns only the text of the former.
func checkProxy(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{response.StatusCode}
}
