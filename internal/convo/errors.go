// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// ResponseError is a response with any other status than 200 (interface, "Errors").
// Code, Message and Issues are the service's own words, as far as the body is
// the interface's error envelope.
type ResponseError struct {
	Operation string
	// URL is the URL of the request, without its query.
	URL string
	// RequestID is the service's name for the request, "" where it has none.
	RequestID string
	Status    int
	Code      string
	Message   string
	Issues    []string
	// Excerpt is the printable beginning of a body that is not JSON.
	Excerpt string
	// Attempts is how often the request was sent.
	Attempts int

	retryAfter time.Duration
}

// Error says in one line what was answered.
func (e *ResponseError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: the service answered %s", e.Operation, e.StatusText())
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
func (e *ResponseError) StatusText() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)))
}

// statusOf returns the status of the answer that an error stands for, 0 when
// there was none.
func statusOf(err error) int {
	var answer *ResponseError
	if errors.As(err, &answer) {
		return answer.Status
	}
	return 0
}

// withAttempts notes in a final error how often the request was sent.
func withAttempts(err error, attempts int) error {
	var answer *ResponseError
	var transport *TransportError
	switch {
	case errors.As(err, &answer):
		answer.Attempts = attempts
	case errors.As(err, &transport):
		transport.Attempts = attempts
	}
	return err
}

// Bounds on what is quoted of an answer, so that an error stays readable.
const (
	maxExcerpt   = 200
	maxTextShown = 1000
	maxIssues    = 20
)

// newError is the error of an answer with any other status than 200.
func newError(operation string, response *http.Response, body []byte, secrets secrets) *ResponseError {
	e := &ResponseError{
		Operation:  operation,
		Status:     response.StatusCode,
		retryAfter: parseRetryAfter(response.Header.Get("Retry-After"), time.Now()),
	}
	e.read(body, secrets)
	return e
}

// ErrorIn returns, as an Error, what a 200 says that is not the answer of its
// operation: the error envelope, or something that is not JSON.
func (c *Client) ErrorIn(response *Response) *ResponseError {
	e := &ResponseError{Status: http.StatusOK, URL: response.URL, RequestID: response.RequestID}
	e.read(response.Body, c.secrets)
	return e
}

// Quote makes a text of the service fit to be shown or stored: without secrets
// and what cannot be printed, at most 1,000 characters of it.
func (c *Client) Quote(text string) string { return c.secrets.quote(text, maxTextShown) }

// read reads the error envelope; a body that is not one is quoted, unless it
// begins as JSON: half a definition can hold a share token. The secrets are
// hidden in both.
func (e *ResponseError) read(body []byte, secrets secrets) {
	var envelope struct {
		Code    looseText       `json:"code"`
		Message looseText       `json:"message"`
		Issues  json.RawMessage `json:"issues"`
		// Gateways put their message here more often than not.
		Error looseText `json:"error"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Code+envelope.Message+envelope.Error == "" {
		if !beginsAsJSON(body) {
			e.Excerpt = secrets.quote(string(body[:min(len(body), maxErrorBody)]), maxExcerpt)
		}
		return
	}
	e.Code = secrets.quote(string(envelope.Code), maxTextShown)
	e.Message = secrets.quote(string(cmp.Or(envelope.Message, envelope.Error)), maxTextShown)
	var issues []struct {
		Message looseText `json:"message"`
	}
	if json.Unmarshal(envelope.Issues, &issues) != nil {
		return // Issues of another shape are no reason to lose the rest.
	}
	for i, issue := range issues {
		if i == maxIssues {
			e.Issues = append(e.Issues, fmt.Sprintf("and %d more", len(issues)-maxIssues))
			break
		}
		e.Issues = append(e.Issues, secrets.quote(string(issue.Message), maxTextShown))
	}
}

// looseText is a string, or the text of a number or bool that stands in its
// place: a code of 404 says as much as one of "404".
type looseText string

// UnmarshalJSON takes any JSON; what is no text is empty.
func (t *looseText) UnmarshalJSON(value []byte) error {
	var text string
	switch {
	case json.Unmarshal(value, &text) == nil:
		*t = looseText(text)
	case value[0] != '{' && value[0] != '[':
		*t = looseText(value)
	}
	return nil
}

// beginsAsJSON says whether a body is, or could go on to be, a JSON object or
// array. A byte order mark is no part of it.
func beginsAsJSON(body []byte) bool {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\uFEFF")))
	return len(body) > 0 && (body[0] == '{' || body[0] == '[')
}

// printable folds white space, drops what cannot be printed (control sequences
// would reach the user's terminal) and cuts after limit characters.
func printable(text string, limit int) string {
	var b strings.Builder
	count, space := 0, false
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = count > 0
			continue
		}
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			continue
		}
		if space && count < limit {
			b.WriteByte(' ')
			count++
		}
		space = false
		if count >= limit {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
		count++
	}
	return b.String()
}
