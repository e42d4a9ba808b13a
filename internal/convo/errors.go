// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
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
	Issues    []string
	// Excerpt is the printable beginning of a body that is not the envelope.
	Excerpt string
	// Attempts is the number of times the request was sent.
	Attempts int

	retryAfter time.Duration
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
	return b.String()
}

// StatusText is the status with its standard meaning, such as "404 Not Found".
func (e *ResponseError) StatusText() string { return statusText(e.Status) }

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// statusOf returns the status of the response in an error, or 0 if there was no
// response.
func statusOf(err error) int {
	var refused *ResponseError
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

// withAttempts sets the number of attempts in a final error.
func withAttempts(err error, attempts int) error {
	var refused *ResponseError
	var transport *TransportError
	switch {
	case errors.As(err, &refused):
		refused.Attempts = attempts
	case errors.As(err, &transport):
		transport.Attempts = attempts
	}
	return err
}

// newError returns the error for a response with a status other than 200.
func newError(operation string, response *http.Response, body []byte, hidden secrets) *ResponseError {
	e := &ResponseError{
		Operation:  operation,
		Status:     response.StatusCode,
		retryAfter: parseRetryAfter(response.Header.Get("Retry-After"), time.Now()),
	}
	e.read(body, hidden)
	return e
}

// ErrorIn returns the content of a 200 that is not its operation's response,
// such as the error envelope or a body that is not JSON, as a ResponseError.
func (c *Client) ErrorIn(response *Response) *ResponseError {
	e := &ResponseError{Status: http.StatusOK, URL: response.URL, RequestID: response.RequestID}
	e.read(response.Body, c.secrets)
	return e
}
