// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// failure is an error with the response's status.
type failure struct {
	status     int
	issues     []issue
	retryAfter int // in seconds; 0 sends no Retry-After header
}

// issue is one of the issues of an error. Only [NestedIssues] sends the path, which is the parameter or key that the
// issue is about.
type issue struct {
	Message string   `json:"message"`
	Path    []string `json:"path,omitempty"`
}

func (f *failure) Error() string { return fmt.Sprintf("%d: %v", f.status, f.issues) }

func badRequest(issues ...issue) error {
	return &failure{status: http.StatusBadRequest, issues: issues}
}

// ErrorHandler returns a handler that responds with status and the error envelope (section "Errors"), for use in
// [WithFault]. For a status that the API does not document, the code and the message are made from its standard text,
// such as TOO_MANY_REQUESTS.
func ErrorHandler(status int, issues ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		f := &failure{status: status}
		for _, text := range issues {
			f.issues = append(f.issues, issue{Message: text})
		}
		writeJSON(w, status, f.envelope(false))
	})
}

// messages are the documented messages of errors.
var messages = map[int]string{
	http.StatusBadRequest:          "Invalid input data",
	http.StatusUnauthorized:        "Authorization not provided",
	http.StatusForbidden:           "Insufficient access",
	http.StatusNotFound:            "Not found",
	http.StatusInternalServerError: "Internal server error",
}

// envelope is the body of an error (section "Errors").
type envelope struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Issues  any    `json:"issues,omitempty"`
	Data    any    `json:"data,omitempty"`
}

// envelope returns the body of an error. The documented codes are those of HTTP.
func (f *failure) envelope(nested bool) envelope {
	text := cmp.Or(http.StatusText(f.status), fmt.Sprintf("Status %d", f.status))
	e := envelope{
		Code:    strings.ToUpper(strings.ReplaceAll(text, " ", "_")),
		Message: cmp.Or(messages[f.status], text),
	}
	issues := append([]issue{}, f.issues...)
	if nested {
		e.Data = map[string][]issue{"issues": issues}
		return e
	}
	for i := range issues {
		issues[i].Path = nil
	}
	e.Issues = issues
	return e
}

// writeError writes the envelope of a [failure]. Any other error is a 500 without its cause.
func (s *Server) writeError(w http.ResponseWriter, err error) {
	f := &failure{status: http.StatusInternalServerError}
	errors.As(err, &f)
	if f.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.retryAfter))
	}
	writeJSON(w, f.status, f.envelope(s.has(NestedIssues)))
}

// writeJSON writes status and the JSON of value. Only a malformed document of a seed cannot be encoded: the response is
// then a 500.
func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := encode(value)
	if err != nil {
		writeJSON(w, http.StatusInternalServerError, (&failure{status: http.StatusInternalServerError}).envelope(false))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client has disconnected
}

// encode does not escape <, > and &, so that the documents of the seed are returned unchanged.
func encode(value any) (json.RawMessage, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return body.Bytes(), nil
}
