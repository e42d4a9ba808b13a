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

// ResponseError is a response with any other status than 200 (specification,
// "Errors"). Code, Message and Issues are the service's own words, as far as
// the body is the API's error envelope.
type ResponseError struct {
	Operation string
	// URL is the URL of the request, without its query.
	URL string
	// RequestID identifies the request in the service's logs; "" where the
	// response has none.
	RequestID string
	Status    int
	Code      string
	Message   string
	Issues    []string
	// Excerpt is the printable beginning of a page or text that came instead.
	Excerpt string
	// Attempts is how often the request was sent.
	Attempts int

	retryAfter time.Duration
}

// Error says in one line what the service returned.
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

// statusOf returns the status of the response that an error stands for, 0 when
// there was none.
func statusOf(err error) int {
	var refused *ResponseError
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

// withAttempts notes in a final error how often the request was sent.
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

// newError is the error of a response with any other status than 200.
func newError(operation string, response *http.Response, body []byte, hidden secrets) *ResponseError {
	e := &ResponseError{
		Operation:  operation,
		Status:     response.StatusCode,
		retryAfter: parseRetryAfter(response.Header.Get("Retry-After"), time.Now()),
	}
	e.read(body, hidden)
	return e
}

// ErrorIn returns, as a ResponseError, what a 200 says that is not the response
// of its operation: the error envelope, or something that is not JSON.
func (c *Client) ErrorIn(response *Response) *ResponseError {
	e := &ResponseError{Status: http.StatusOK, URL: response.URL, RequestID: response.RequestID}
	e.read(response.Body, c.secrets)
	return e
}
