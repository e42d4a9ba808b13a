// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
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
