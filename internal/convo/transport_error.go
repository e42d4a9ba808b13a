// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// TransportError is a request without a complete response: no connection, a
// refused certificate, a redirect that is not followed, a timeout, a body that
// breaks off or is too large, a canceled run.
type TransportError struct {
	Operation string
	// URL is the URL of the request, without its query.
	URL string
	// NotSent reports that the service cannot have acted on the request, because
	// no byte of it was sent. Such a request may be retried, whatever its method.
	NotSent bool
	// Attempts is how often the request was sent.
	Attempts int
	Reason   Reason
	Err      error
}

// Error says in one line what went wrong, without the URL.
func (e *TransportError) Error() string { return e.Operation + ": " + e.Err.Error() }

// Unwrap gives the error that net/http or the context had.
func (e *TransportError) Unwrap() error { return e.Err }

// Reason says what kept a response from arriving, as far as it decides what to
// do next.
type Reason int

// The reasons. Only the first two may pass by themselves.
const (
	ReasonConnection         Reason = iota // no connection, or it was lost
	ReasonTimeout                          // no complete response in time
	ReasonCanceled                         // the caller gave up
	ReasonHostNotFound                     // the name of the host does not resolve
	ReasonCertificate                      // the server's certificate is not trusted
	ReasonCertificateExpired               // the server's certificate is not valid now
	ReasonCertificateHost                  // the server's certificate is for another host
	ReasonHandshake                        // the server refused the TLS handshake
	ReasonNotTLS                           // https, but the server does not use TLS
	ReasonNeedsTLS                         // http, but the server expects TLS
	ReasonProxy                            // the proxy refuses, or cannot be used
	ReasonProxyNotFound                    // the name of the proxy does not resolve
	ReasonRedirect                         // a redirect that is not followed
	ReasonTooLarge                         // a response over the limit
)

// reasonFor classifies an error of net/http or of this package.
func reasonFor(err error) Reason {
	var operation *net.OpError
	if errors.As(err, &operation) && operation.Op == "proxyconnect" {
		// How net/http marks what fails on the way to a proxy.
		switch reason := reasonFor(operation.Err); reason {
		case ReasonHostNotFound:
			return ReasonProxyNotFound
		case ReasonConnection, ReasonTimeout, ReasonCanceled:
			return reason
		}
		return ReasonProxy
	}
	var (
		timeout     interface{ Timeout() bool }
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		proxy       *proxyError
		redirect    *redirectError
		tooLarge    *tooLargeError
	)
	switch {
	case errors.Is(err, context.Canceled):
		return ReasonCanceled
	case errors.As(err, &dns) && dns.IsNotFound:
		return ReasonHostNotFound
	case errors.As(err, &certificate):
		return reasonForCertificate(certificate)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return ReasonNotTLS
	case errors.Is(err, errNeedsTLS):
		return ReasonNeedsTLS
	case operation != nil && operation.Op == "remote error":
		// How crypto/tls marks an alert of the other side.
		return ReasonHandshake
	case errors.As(err, &proxy) && proxy.permanent():
		return ReasonProxy
	case errors.As(err, &redirect):
		return ReasonRedirect
	case errors.As(err, &tooLarge):
		return ReasonTooLarge
	case errors.As(err, &timeout) && timeout.Timeout():
		return ReasonTimeout
	}
	return ReasonConnection
}

// reasonForCertificate tells what needs another certificate on the server from
// what an authority in the client's configuration can mend.
func reasonForCertificate(err *tls.CertificateVerificationError) Reason {
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return ReasonCertificateExpired
	case errors.As(err, &host):
		return ReasonCertificateHost
	}
	return ReasonCertificate
}

// explain puts into words what net/http says in terms of its own, and strips
// the method and URL that it puts before its errors, since a URL can carry
// query values. What net/http says of a response that it could not read quotes
// the response.
func explain(err error, responded bool) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var (
		operation *net.OpError
		dns       *net.DNSError
		network   net.Error
		redirect  *redirectError
	)
	switch {
	case errors.As(err, &operation) && operation.Op == "proxyconnect":
		return &wordsError{"the proxy cannot be used: " + explain(operation.Err, false).Error(), err}
	case errors.As(err, &dns) && dns.IsNotFound:
		return &wordsError{fmt.Sprintf("the host %q cannot be found", dns.Name), err}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &wordsError{"the connection was closed before a response arrived", err}
	case responded && !errors.As(err, &network) && !errors.As(err, &redirect):
		return errors.New("the response is not valid HTTP")
	}
	return err
}

// timeoutError ends one attempt. It is retried, which is why it is told apart
// from the deadline of the caller.
type timeoutError struct{ limit time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("no complete response within %s", e.limit) }
func (e *timeoutError) Timeout() bool { return true }

// tooLargeError is a success whose body is over the limit, in bytes.
type tooLargeError struct{ limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the response is larger than %d MiB", e.limit>>20)
}

// redirectError is a redirect that is not followed.
type redirectError struct{ text string }

func (e *redirectError) Error() string { return e.text }

// proxyError is what a proxy returns instead of connecting to the service.
type proxyError struct{ status int }

func (e *proxyError) Error() string {
	return "the proxy returned " + statusText(e.status) + " instead of a connection to the service"
}

// permanent says that another attempt would be refused too, and could lock the
// account that the proxy knows.
func (e *proxyError) permanent() bool {
	return e.status < http.StatusInternalServerError && e.status != http.StatusTooManyRequests
}

// errNeedsTLS is a request over http to a port that expects TLS.
var errNeedsTLS = errors.New("the server expects https on this port")

// wordsError says in other words what an error of net/http means.
type wordsError struct {
	words string
	err   error
}

func (e *wordsError) Error() string { return e.words }
func (e *wordsError) Unwrap() error { return e.err }
