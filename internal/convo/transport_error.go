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

// TransportError is a request without a complete response, such as a lost
// connection, an untrusted certificate, a redirect that is not followed, a
// timeout, an incomplete or too large body, or a canceled run.
type TransportError struct {
	Operation string
	// URL is the URL of the request, without its query.
	URL string
	// NotSent reports that the service cannot have acted on the request, because
	// no byte of it was sent. Such a request can be retried, whatever its method.
	NotSent bool
	// Attempts is the number of times the request was sent.
	Attempts int
	Reason   Reason
	Err      error
}

// Error describes the failure in one line, without the URL.
func (e *TransportError) Error() string { return e.Operation + ": " + e.Err.Error() }

// Unwrap returns the error of net/http or the context.
func (e *TransportError) Unwrap() error { return e.Err }

// Reason is the reason for a missing response, to the extent that it determines
// the next step.
type Reason int

// The reasons. Only the first two can be temporary.
const (
	ReasonConnection         Reason = iota // no connection, or a lost one
	ReasonTimeout                          // no complete response in time
	ReasonCanceled                         // the caller ended the context
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
	ReasonTooLarge                         // a response larger than the limit
)

// reasonFor classifies an error of net/http or of this package.
func reasonFor(err error) Reason {
	var operation *net.OpError
	if errors.As(err, &operation) && operation.Op == "proxyconnect" {
		// net/http uses this operation for failures between the client and a proxy.
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
		// crypto/tls uses this operation for an alert from the server.
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

// reasonForCertificate distinguishes certificates that must be replaced on the
// server from those that a CA certificate in the configuration can verify.
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

// explain rewords errors of net/http and removes their method and URL, because
// a URL can contain query values. It does not include errors about unreadable
// responses, which quote the response.
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

// timeoutError ends one attempt. Unlike the caller's deadline, it is retried.
type timeoutError struct{ limit time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("no complete response within %s", e.limit) }
func (e *timeoutError) Timeout() bool { return true }

// tooLargeError is a 200 with a body larger than the limit, in bytes.
type tooLargeError struct{ limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the response is larger than %d MiB", e.limit>>20)
}

// redirectError is a redirect that is not followed.
type redirectError struct{ text string }

func (e *redirectError) Error() string { return e.text }

// proxyError is a proxy's refusal to connect to the service.
type proxyError struct{ status int }

func (e *proxyError) Error() string {
	return "the proxy returned " + statusText(e.status) + " instead of a connection to the service"
}

// permanent reports whether a retry would also be refused. It could lock the
// proxy account.
func (e *proxyError) permanent() bool {
	return e.status < http.StatusInternalServerError && e.status != http.StatusTooManyRequests
}

// errNeedsTLS is a request over http to a port that expects TLS.
var errNeedsTLS = errors.New("the server expects https on this port")

// wordsError rewords an error of net/http.
type wordsError struct {
	words string
	err   error
}

func (e *wordsError) Error() string { return e.words }
func (e *wordsError) Unwrap() error { return e.err }
