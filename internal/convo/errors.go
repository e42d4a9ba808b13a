// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// ResponseError is a response with a status other than 200, or a 200 that does not conform
// to the API. Code, Message and Issues are set if the body is the API's error envelope.
type ResponseError struct {
	URL string // without its query
	// RequestID identifies the request in the service's logs, or is "".
	RequestID string
	Status    int
	Code      string
	Message   string
	// Issues are the details, each with its path if it has one.
	Issues []string
	// Excerpt is the printable beginning of a body that is not the envelope.
	Excerpt string
	// RetryAfter is the shortest wait before a retry that the response permits, or 0.
	RetryAfter time.Duration
	Attempts   int
	// TokenSource is where the token comes from, as in the client's configuration.
	TokenSource string
	// Err describes how a 200 violates the API, or where a redirect leads. Otherwise, it is nil.
	Err error
}

// Error describes the response in one line, without its texts.
func (e *ResponseError) Error() string {
	return "the service returned " + e.StatusText()
}

// StatusText is the status with its standard meaning, such as "404 Not Found".
func (e *ResponseError) StatusText() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)))
}

// ServiceFailed reports that the service, or a gateway in front of it, failed,
// whatever the request. This can be temporary.
func (e *ResponseError) ServiceFailed() bool {
	return e.Status >= http.StatusInternalServerError || e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooEarly
}

// Throttled reports that the service limits how often it accepts requests.
func (e *ResponseError) Throttled() bool {
	return e.Status == http.StatusTooManyRequests
}

// WaitTooLong reports that the request is not retried because the response requires
// a wait that is too long.
func (e *ResponseError) WaitTooLong() bool {
	return e.RetryAfter > pacing.LongestWait
}

// ErrEmpty reports a 200 whose body is empty.
var ErrEmpty = errors.New("empty body")

// ErrNoResult reports a 200 with a JSON object that lacks what was requested.
var ErrNoResult = errors.New("required, but null or missing")

// ErrRedirect reports a redirect.
var ErrRedirect = errors.New("redirects are not followed")

// TransportError is a request without a complete response, such as a lost
// connection, an untrusted certificate, a timeout, an incomplete or too large body, or a
// canceled run.
type TransportError struct {
	URL string // without its query
	// NotSent reports that the service cannot have acted on the request. Such a
	// request can be retried, whatever its method.
	NotSent  bool
	Attempts int
	Reason   Reason
	Err      error

	isTemporary bool // the next attempt can succeed
}

// Error describes the failure in one line, without the URL.
func (e *TransportError) Error() string {
	return e.Err.Error()
}

// Unwrap returns the error of net/http, of the context, or of this package.
func (e *TransportError) Unwrap() error {
	return e.Err
}

// Reason is the reason for a missing response, to the extent that it determines
// the next step.
type Reason int

// The reasons.
const (
	// ReasonConnection means that there was no connection, or that it was lost.
	ReasonConnection Reason = iota
	// ReasonTimeout means that there was no complete response in time.
	ReasonTimeout
	// ReasonIncomplete is a response that ends prematurely.
	ReasonIncomplete
	// ReasonProxy means that there was no connection through the proxy.
	ReasonProxy
	// ReasonCanceled means that the caller ended the context.
	ReasonCanceled
	// ReasonTLS is a failed TLS handshake.
	ReasonTLS
	// ReasonTooLarge is a response larger than the limit.
	ReasonTooLarge
)

// reasonError is an error that this package finds itself.
type reasonError struct {
	reason      Reason
	isTemporary bool
	text        string
}

func (e *reasonError) Error() string {
	return e.text
}

// transportError returns the error of an attempt without a complete response.
// connected reports that it had a connection, so that the service may have
// received the request.
func (c *Client) transportError(op operation, err error, connected bool) *TransportError {
	reason, isTemporary, err := classify(err, connected)
	if !connected && c.proxy != nil && reason != ReasonCanceled && reason != ReasonTLS {
		reason = ReasonProxy
		err = fmt.Errorf("the proxy %s, which the environment variable %s sets, did not connect to the service: %w",
			c.proxy.Host, proxyVariable(c.baseURL), err)
	}
	return &TransportError{
		URL:         c.url(op),
		NotSent:     !connected,
		Attempts:    op.attempts,
		Reason:      reason,
		Err:         c.cleanError(err),
		isTemporary: isTemporary,
	}
}

// cleanError returns an error with a clean text. If that differs, the error wraps no cause,
// which could quote the original text.
func (c *Client) cleanError(err error) error {
	text := c.clean(err.Error())
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// clean prepares a text of a response for display or storage as one line. It masks
// secrets, removes unprintable characters, and returns at most 1,000 characters.
func (c *Client) clean(text string) string {
	return c.redactor.Clean(text, maxText)
}

// classify returns the reason of an error of net/http or of this package, whether it can be
// temporary, and an error to show, which does not quote a response.
func classify(err error, connected bool) (reason Reason, isTemporary bool, shown error) {
	if own, ok := errors.AsType[*reasonError](err); ok {
		return own.reason, own.isTemporary, err
	}
	operation, isOperation := errors.AsType[*net.OpError](err)
	lookup, isLookup := errors.AsType[*net.DNSError](err)
	_, isNetwork := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return ReasonCanceled, false, err
	case errors.As(err, new(*tls.CertificateVerificationError)), errors.As(err, new(tls.RecordHeaderError)), errors.Is(err, http.ErrSchemeMismatch),
		isOperation && operation.Op == "remote error": // an alert from the server
		return ReasonTLS, false, err
	case strings.HasPrefix(err.Error(), "failed to parse Location"):
		return ReasonConnection, false, errors.New("the service returned a redirect to something that is not a URL")
	case connected && !isNetwork, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		// net/http can quote a response that is not valid HTTP/1.1, such as that of a
		// server that supports only HTTP/2.
		return ReasonConnection, true, errors.New("the connection was closed before a valid HTTP/1.1 response arrived")
	}
	return ReasonConnection, !isLookup || !lookup.IsNotFound, err
}

// Limits on texts of a response, in characters, so that errors remain readable.
const maxExcerpt, maxText = 200, 1000

// envelope is the error envelope. Some services send the issues in an object. Values of
// other types are omitted.
type envelope struct {
	Code, Message string
	Issues        []issue
	Data          struct{ Issues []issue }
}

type issue struct {
	Path    []any
	Message string
}

// readEnvelope sets the texts of an error from the body of its response: those
// of the envelope, or an excerpt of a body that is not one.
func (r *Response) readEnvelope(e *ResponseError) {
	var content envelope
	_ = json.Unmarshal(r.Body, &content) // Whatever can be read is used.
	e.Code = r.client.clean(content.Code)
	e.Message = r.client.clean(content.Message)
	masked := r.client.redactor.Mask(html.UnescapeString(string(r.Body)))
	e.Excerpt = r.client.redactor.Clean(notText.ReplaceAllString(masked, " "), maxExcerpt) // "" if the body is the envelope
	for _, issue := range append(content.Issues, content.Data.Issues...) {
		if text := r.client.clean(issue.text()); text != "" {
			e.Issues = append(e.Issues, text)
		}
	}
}

// text is the message after its path, such as "workspaceId: Required".
func (i issue) text() string {
	var texts []string
	for _, element := range i.Path {
		texts = append(texts, fmt.Sprint(element))
	}
	if path := strings.Join(texts, "."); path != "" {
		return path + ": " + i.Message
	}
	return i.Message
}

// notText matches what an excerpt omits: tags, scripts and styles, also if they are
// not closed, and everything from the first character that can begin JSON, because
// it could be a part of a definition.
var notText = regexp.MustCompile(`(?is)<(script|style)\b.*?(</(script|style)>|$)|<[^>]*>|[{\[].*`)
