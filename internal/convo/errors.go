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
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// ResponseError is a response with a status other than 200 (specification,
// "Errors"). Code, Message and Issues are set if the body is the API's error
// envelope.
type ResponseError struct {
	Operation string
	// URL is the URL of the request, without its query.
	URL string
	// RequestID identifies the request in the service's logs; "" if the response
	// has none.
	RequestID string
	Status    int
	Code      string
	Message   string
	// Issues are the individual issues, each with its path if it has one.
	Issues []string
	// Excerpt is the printable beginning of a body that is not the envelope.
	Excerpt string
	// RetryAfter is the wait before a retry that the response requires, or 0. A
	// request that would have to wait longer than a minute is not retried.
	RetryAfter time.Duration
	// Attempts is the number of times the request was sent.
	Attempts int
}

// Error describes the response in one line.
func (e *ResponseError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: the service returned %s", e.Operation, e.StatusText())
	for _, text := range append([]string{e.Code, e.Message}, e.Issues...) {
		if text != "" {
			b.WriteString(": " + text)
		}
	}
	if e.Excerpt != "" {
		fmt.Fprintf(&b, ": %q", e.Excerpt)
	}
	if e.RetryAfter > pacing.LongestWait {
		fmt.Fprintf(&b, " (retry after %s)", e.RetryAfter)
	}
	return b.String()
}

// StatusText is the status with its standard meaning, such as "404 Not Found".
func (e *ResponseError) StatusText() string { return statusText(e.Status) }

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// TransportError is a request without a complete response, such as a lost
// connection, an untrusted certificate, a redirect that is not followed, a
// timeout, an incomplete or too large body, or a canceled run.
type TransportError struct {
	Operation string
	// URL is the URL of the request, without its query.
	URL string
	// NotSent reports that the service cannot have acted on the request. Such a
	// request can be retried, whatever its method.
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

// withAttempts sets the number of attempts in a final error.
func withAttempts(err error, attempts int) error {
	var response *ResponseError
	var transport *TransportError
	switch {
	case errors.As(err, &response):
		response.Attempts = attempts
	case errors.As(err, &transport):
		transport.Attempts = attempts
	}
	return err
}

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
	var network net.Error
	if operation != nil && strings.HasPrefix(operation.Op, "socks") && !errors.As(operation.Err, &network) && !errors.Is(err, io.EOF) {
		return ReasonProxy // net/http uses such operations for the responses of a SOCKS proxy.
	}
	var (
		timeout  interface{ Timeout() bool }
		dns      *net.DNSError
		invalid  x509.CertificateInvalidError
		host     x509.HostnameError
		verify   *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		proxy    *proxyError
		redirect *redirectError
		tooLarge *tooLargeError
	)
	switch {
	case errors.Is(err, context.Canceled):
		return ReasonCanceled
	case errors.As(err, &dns) && dns.IsNotFound:
		return ReasonHostNotFound
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return ReasonCertificateExpired
	case errors.As(err, &host):
		return ReasonCertificateHost
	case errors.As(err, &verify):
		return ReasonCertificate
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return ReasonNotTLS
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

// reword rewords errors of net/http and removes their method and URL, because a
// URL can contain query values. It does not include errors about unreadable
// responses, which quote the response.
func reword(err error, responded bool) error {
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
		return &rewordedError{"the proxy cannot be used: " + reword(operation.Err, false).Error(), err}
	case errors.As(err, &dns) && dns.IsNotFound:
		return &rewordedError{fmt.Sprintf("the host %q cannot be found", dns.Name), err}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &rewordedError{"the connection was closed before a response arrived", err}
	case responded && !errors.As(err, &network) && !errors.As(err, &redirect):
		return errors.New("the response is not valid HTTP")
	}
	return err
}

// rewordedError is an error of net/http with another text.
type rewordedError struct {
	text string
	err  error
}

func (e *rewordedError) Error() string { return e.text }
func (e *rewordedError) Unwrap() error { return e.err }

// errRefusedStreams ends an attempt for which net/http would dial without limit.
var errRefusedStreams = errors.New("the server accepts connections, but refuses the request on each of them")

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
