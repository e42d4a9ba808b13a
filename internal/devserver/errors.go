// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// failure is an error with the response's status.
type failure struct {
	status int
	issues []issue
}

var errNotFound = &failure{status: http.StatusNotFound}

// issue is one of the issues of an error. Only [NestedIssues] sends the path, which is the parameter or key that the
// issue is about.
type issue struct {
	Message string   `json:"message"`
	Path    []string `json:"path,omitempty"`
}

func (f *failure) Error() string { return fmt.Sprintf("%d: %v", f.status, f.issues) }

// badRequest returns an error about a parameter or key.
func (s *Server) badRequest(name, format string, args ...any) error {
	i := issue{Message: fmt.Sprintf(format, args...)}
	if s.has(NestedIssues) {
		i.Path = []string{name}
	}
	return &failure{http.StatusBadRequest, []issue{i}}
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
		Issues:  append([]issue{}, f.issues...), // never null
	}
	if nested {
		e.Issues, e.Data = nil, map[string]any{"issues": e.Issues}
	}
	return e
}

// writeError writes the envelope of a [failure]. Any other error is a 500 without its cause.
func (s *Server) writeError(w http.ResponseWriter, err error) {
	f := &failure{status: http.StatusInternalServerError}
	errors.As(err, &f)
	writeJSON(w, f.status, f.envelope(s.has(NestedIssues)))
}

// writeJSON writes status and the JSON of value. It does not escape <, > and &, so that the documents of the seed are
// returned unchanged.
func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // fails only if the client has disconnected
}
