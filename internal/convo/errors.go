// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// Error is an operation without a result: because there is no complete response, because its status
// is not 200, or because it does not conform to the API.
type Error struct {
	// Reason determines the next step.
	Reason Reason
	// Problem is what happened instead of a response, how a 200 violates the API, or where a
	// redirect leads. It is "" if the other fields say everything.
	Problem string
	URL     string // without its query
	// HadNoEffect reports that the service did not act on the request. Such a request can be
	// retried, whatever its method.
	HadNoEffect bool
	IsTemporary bool // The next attempt can succeed.
	Attempts    int
	// TokenSource is where the token comes from, as in the client's configuration.
	TokenSource string

	// Status is 0 if there is no complete response. The fields below are then empty.
	Status int
	// RequestID identifies the request in the service's logs, or is "".
	RequestID string
	// Code, Message and Issues are set if the body is the API's error envelope. Each issue has its path
	// if it has one.
	Code, Message string
	Issues        []string
	// Excerpt is the printable beginning of a body that is not the envelope.
	Excerpt string
	// RetryAfter is the shortest wait before a retry that the response permits, or 0.
	RetryAfter time.Duration
}

// Error describes the failure in one line, without the URL and the texts of a response.
func (e *Error) Error() string {
	if e.Status == 0 {
		return e.Problem
	}
	return "the service returned " + e.StatusText()
}

// StatusText is the status with its standard meaning, such as "404 Not Found".
func (e *Error) StatusText() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)))
}

// WaitTooLong reports that the request is not retried because the response requires
// a wait that is too long.
func (e *Error) WaitTooLong() bool {
	return e.RetryAfter > pacing.LongestWait
}

// Reason is the reason why an operation has no result, to the extent that it determines the
// next step.
type Reason int

// The reasons.
const (
	// ReasonConnection means that there was no connection, or that it was lost.
	ReasonConnection Reason = iota
	// ReasonTimeout means that there was no complete response in time.
	ReasonTimeout
	// ReasonIncomplete is a response that ends prematurely.
	ReasonIncomplete
	// ReasonProxy means that the proxy did not connect to the service.
	ReasonProxy
	// ReasonCanceled means that the caller ended the context.
	ReasonCanceled
	// ReasonTLS is a failed TLS handshake.
	ReasonTLS
	// ReasonServiceFailed means that the service, or a gateway in front of it, failed,
	// whatever the request. This can be temporary.
	ReasonServiceFailed
	// ReasonThrottled means that the service limits how often it accepts requests.
	ReasonThrottled
	// ReasonRedirect is a redirect, which was not followed.
	ReasonRedirect
	// ReasonNotTheService is a response that something other than the service may have sent.
	ReasonNotTheService
	// ReasonInvalid is a response of the service that does not conform to the API, or is too large.
	ReasonInvalid
	// ReasonRejected means that the service rejected the request, with a code. The status says
	// why.
	ReasonRejected
)

// noResponse returns the error of an attempt without a complete response.
// connected reports that it had a connection, so that the service may have
// received the request.
func (c *Client) noResponse(op *operation, err error, connected bool) *Error {
	e := c.classify(err, connected)
	if e.Reason == ReasonTimeout {
		// Unused connections, including those that are being opened, can be as dead as
		// this one, or keep the server from accepting others. Updates leave none.
		c.reads.CloseIdleConnections()
	}
	if !connected && c.proxy != nil && e.Reason != ReasonCanceled && e.Reason != ReasonTLS {
		e.Reason = ReasonProxy
		e.Problem = fmt.Sprintf("the proxy %s, which the environment variable %s sets, did not connect to the service: %s",
			c.proxy.Host, proxyVariable(c.baseURL), e.Problem)
	}
	e.HadNoEffect = !connected
	return c.complete(e, op)
}

// complete sets what an error says about its operation, and masks its problem.
func (c *Client) complete(e *Error, op *operation) *Error {
	e.Problem = c.clean(e.Problem)
	e.URL = c.redactor.Mask(c.baseURL.String() + op.path) // The query has values of the user.
	e.Attempts = op.Attempts
	e.TokenSource = c.config.TokenSource
	return e
}

// clean prepares a text of a response for display or storage as one line. It masks
// secrets, removes unprintable characters, and returns at most 1,000 characters.
func (c *Client) clean(text string) string {
	return c.redactor.Clean(text, maxText)
}

// classify returns the reason of an error of net/http, whether it can be temporary, and a
// problem that does not quote a response. An *Error has them already.
func (c *Client) classify(err error, connected bool) *Error {
	own, isOwn := errors.AsType[*Error](err)
	operation, isOperation := errors.AsType[*net.OpError](err)
	lookup, isLookup := errors.AsType[*net.DNSError](err)
	_, isNetwork := errors.AsType[net.Error](err)
	e := &Error{Problem: err.Error()}
	switch {
	case isOwn:
		return own
	case errors.Is(err, context.Canceled):
		e.Reason = ReasonCanceled
	case errors.Is(err, context.DeadlineExceeded):
		e.Reason = ReasonTimeout
		e.IsTemporary = true
		e.Problem = fmt.Sprintf("no complete response within %s", c.config.RequestTimeout)
	case errors.As(err, new(*tls.CertificateVerificationError)), errors.As(err, new(tls.RecordHeaderError)), errors.Is(err, http.ErrSchemeMismatch),
		isOperation && operation.Op == "remote error": // an alert from the server
		e.Reason = ReasonTLS
	case strings.HasPrefix(err.Error(), "failed to parse Location"):
		e.Problem = "the service returned a redirect to something that is not a URL"
	case connected && !isNetwork, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		// net/http can quote a response that is not valid HTTP/1.1, such as that of a
		// server that supports only HTTP/2.
		e.IsTemporary = true
		e.Problem = "the connection was closed before a valid HTTP/1.1 response arrived"
	default:
		e.IsTemporary = !isLookup || !lookup.IsNotFound
	}
	return e
}
