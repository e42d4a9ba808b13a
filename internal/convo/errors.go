// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// Error is an answer with any other status than 200 (interface, "Errors").
// Code, Message and Issues are the service's own words, as far as the body is
// the interface's error envelope.
type Error struct {
	Operation string
	Status    int
	Code      string
	Message   string
	Issues    []string
	// Excerpt is the printable beginning of a body that is not the envelope.
	Excerpt string
	// Attempts is how often the request was sent.
	Attempts int

	retryAfter time.Duration
}

// Error says in one line what was answered.
func (e *Error) Error() string {
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
func (e *Error) StatusText() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)))
}

// AnswerError is a 200 whose body is not what the interface promises.
type AnswerError struct {
	Operation string
	Problem   string
}

// Error says in one line what is wrong with the answer.
func (e *AnswerError) Error() string { return e.Operation + ": " + e.Problem }

// statusOf returns the status of the answer that an error stands for, 0 when
// there was none.
func statusOf(err error) int {
	var answer *Error
	if errors.As(err, &answer) {
		return answer.Status
	}
	return 0
}

// withAttempts notes in a final error how often the request was sent.
func withAttempts(err error, attempts int) error {
	var answer *Error
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

// newError reads the error envelope; a body that is not one is quoted. The
// secrets are hidden in both.
func newError(operation string, response *http.Response, body []byte, secrets secrets) *Error {
	e := &Error{
		Operation:  operation,
		Status:     response.StatusCode,
		retryAfter: parseRetryAfter(response.Header.Get("Retry-After"), time.Now()),
	}
	var envelope struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Issues  []struct {
			Message string `json:"message"`
		} `json:"issues"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Code == "" && envelope.Message == "" {
		e.Excerpt = secrets.quote(string(body), maxExcerpt)
		return e
	}
	e.Code = secrets.quote(envelope.Code, maxTextShown)
	e.Message = secrets.quote(envelope.Message, maxTextShown)
	for i, issue := range envelope.Issues {
		if i == maxIssues {
			e.Issues = append(e.Issues, fmt.Sprintf("and %d more", len(envelope.Issues)-maxIssues))
			break
		}
		e.Issues = append(e.Issues, secrets.quote(issue.Message, maxTextShown))
	}
	return e
}

// Excerpt is the beginning of an answer's body as it may be quoted in an error.
// JSON is never quoted: half a definition can hold a share token.
func Excerpt(body []byte) string {
	text := strings.TrimSpace(string(body[:min(len(body), 4*maxExcerpt)]))
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return ""
	}
	return printable(text, maxExcerpt)
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
