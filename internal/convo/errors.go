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

// reasonError is an error that this package finds itself.
type reasonError struct {
	reason Reason
	text   string
}

func (e *reasonError) Error() string { return e.text }

// errRefusedStreams ends an attempt for which net/http would dial without limit.
var errRefusedStreams = &reasonError{ReasonConnection, "the server accepts connections, but refuses the request on each of them"}

// classify returns the reason of an error of net/http or of this package, and an
// error to show. That one does not have the method and the URL, which can
// contain query values, and does not quote a response that is not HTTP. responded
// reports that a response had begun.
func classify(err error, responded bool) (Reason, error) {
	var (
		wrapped   *url.Error
		own       *reasonError
		operation *net.OpError
		network   net.Error
		dns       *net.DNSError
		invalid   x509.CertificateInvalidError
		host      x509.HostnameError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		timeout   interface{ Timeout() bool }
	)
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	op := ""
	if errors.As(err, &operation) {
		op = operation.Op
	}
	switch {
	case errors.As(err, &own):
		return own.reason, own
	case op == "proxyconnect":
		// net/http uses this operation for failures between the client and a proxy.
		reason, cause := classify(operation.Err, false)
		switch reason {
		case ReasonConnection, ReasonTimeout, ReasonCanceled:
		case ReasonHostNotFound:
			reason = ReasonProxyNotFound
		default:
			reason = ReasonProxy
		}
		return reason, fmt.Errorf("the proxy cannot be used: %w", cause)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ReasonConnection, errors.New("the connection was closed before a response arrived")
	case strings.HasPrefix(op, "socks") && !errors.As(operation.Err, &network):
		return ReasonProxy, err // net/http uses such operations for the responses of a SOCKS proxy.
	case errors.Is(err, context.Canceled):
		return ReasonCanceled, err
	case errors.As(err, &dns) && dns.IsNotFound:
		return ReasonHostNotFound, fmt.Errorf("the host %q cannot be found", dns.Name)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return ReasonCertificateExpired, err
	case errors.As(err, &host):
		return ReasonCertificateHost, err
	case errors.As(err, &verify):
		return ReasonCertificate, err
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return ReasonNotTLS, err
	case op == "remote error":
		return ReasonHandshake, err // crypto/tls uses this operation for an alert from the server.
	case errors.As(err, &timeout) && timeout.Timeout():
		return ReasonTimeout, err
	case responded && !errors.As(err, &network):
		return ReasonConnection, errors.New("the response is not valid HTTP")
	}
	return ReasonConnection, err
}

// resultOf returns the meaning of an attempt's error for the pacer. A failure is
// retryable if it can be temporary and the request can be sent again safely: a
// 429 has no effect, whatever the method, but after any other failure, a POST may
// have taken effect unless no byte of it was sent. A 503 counts as throttled only
// with a Retry-After header.
func resultOf(method string, err error) pacing.Result {
	var transport *TransportError
	var response *ResponseError
	switch {
	case errors.As(err, &transport):
		temporary := transport.Reason == ReasonConnection || transport.Reason == ReasonTimeout
		return pacing.Result{Outcome: pacing.Failed, Retryable: temporary && (method == http.MethodGet || transport.NotSent)}
	case !errors.As(err, &response):
		return pacing.Result{Outcome: pacing.Accepted}
	}
	result := pacing.Result{Outcome: pacing.Failed, Retryable: method == http.MethodGet, RetryAfter: response.RetryAfter}
	switch status := response.Status; {
	case status == http.StatusTooManyRequests:
		result.Outcome, result.Retryable = pacing.Throttled, true
	case status == http.StatusServiceUnavailable && response.RetryAfter > 0:
		result.Outcome = pacing.Throttled
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		result.Outcome = pacing.Accepted
	case status < http.StatusInternalServerError:
		result.Outcome, result.Retryable = pacing.Accepted, false
	case status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported:
		result.Retryable = false
	}
	return result
}
