// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"testing"
)

// TestUnknownHosts has errors that a resolver cannot be made to return
// everywhere.
func TestUnknownHosts(t *testing.T) {
	t.Parallel()
	unknown := func(found bool) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "trouble", Name: "svc.example", IsNotFound: !found}}
	}
	proxy := func(err error) error { return &net.OpError{Op: "proxyconnect", Net: "tcp", Err: err} }
	tests := []struct {
		err    error
		reason Reason
		text   string
	}{
		{unknown(false), ReasonHostNotFound, `the host "svc.example" cannot be found`},
		{unknown(true), ReasonConnection, "dial tcp: lookup svc.example: trouble"},
		{proxy(unknown(false)), ReasonProxyNotFound, `the proxy cannot be used: the host "svc.example" cannot be found`},
		{proxy(unknown(true)), ReasonConnection, "the proxy cannot be used: dial tcp: lookup svc.example: trouble"},
		{proxy(io.EOF), ReasonConnection, "the proxy cannot be used: the connection was closed before a response arrived"},
		{proxy(context.Canceled), ReasonCanceled, "the proxy cannot be used: context canceled"},
		{proxy(&timeoutError{}), ReasonTimeout, "the proxy cannot be used: no complete response within 0s"},
		{fmt.Errorf("wrapped: %w", unknown(false)), ReasonHostNotFound, `the host "svc.example" cannot be found`},
	}
	for _, test := range tests {
		for _, err := range []error{test.err, &url.Error{Op: "Get", URL: "https://svc.example?a=secret", Err: test.err}} {
			explained := explain(err, false)
			if got := reasonFor(explained); got != test.reason || explained.Error() != test.text {
				t.Errorf("%v: got the reason %d and %q, want %d and %q", err, got, explained, test.reason, test.text)
			}
		}
	}
}

// TestNoHandshakePastAProxy: what lies behind a proxy may not be reached in any
// other way.
func TestNoHandshakePastAProxy(t *testing.T) {
	t.Parallel()
	for name, proxy := range map[string]func(*url.URL) (*url.URL, error){
		"proxy":       func(*url.URL) (*url.URL, error) { return &url.URL{Scheme: "http", Host: "proxy.example"}, nil },
		"wrong proxy": func(*url.URL) (*url.URL, error) { return nil, errors.New("not a URL") },
	} {
		c := &connections{proxy: proxy, dial: func(_ context.Context, _, address string) (net.Conn, error) {
			t.Errorf("%s: dialed %s", name, address)
			return nil, io.EOF
		}}
		if c.needTLS(t.Context(), &url.URL{Scheme: "http", Host: "service.example"}) {
			t.Errorf("%s: found TLS", name)
		}
	}
}

// TestHandshakeAtTheDefaultPort holds where the handshake goes.
func TestHandshakeAtTheDefaultPort(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"service.example": "service.example:80", "service.example:8080": "service.example:8080", "[::1]": "[::1]:80",
	} {
		got := ""
		c := &connections{
			proxy: func(*url.URL) (*url.URL, error) { return nil, nil },
			dial: func(_ context.Context, _, address string) (net.Conn, error) {
				got = address
				return nil, io.EOF
			},
		}
		if c.needTLS(t.Context(), &url.URL{Scheme: "http", Host: host}) || got != want {
			t.Errorf("%s: dialed %s, want %s", host, got, want)
		}
	}
}
