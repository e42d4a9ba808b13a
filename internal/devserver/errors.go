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
	"strings"
)

// failure is an error with the response's status.
type failure struct {
	status int
	issues []string
}

func (f *failure) Error() string {
	return fmt.Sprintf("%d: %s", f.status, strings.Join(f.issues, "; "))
}

func badRequest(issues ...string) error {
	return &failure{status: http.StatusBadRequest, issues: issues}
}

// envelope is the body of every error (section "Errors").
type envelope struct {
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Issues  []issue `json:"issues"`
}

type issue struct {
	Message string `json:"message"`
}

// ErrorHandler returns a handler that responds with status and the error envelope (section "Errors"), for use in
// [WithFault]. For a status that the API does not document, the code and the message are made from its standard text,
// such as TOO_MANY_REQUESTS.
func ErrorHandler(status int, issues ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, &failure{status: status, issues: issues})
	})
}

func describeStatus(status int) (code, message string) {
	switch status {
	case http.StatusBadRequest:
		return "BAD_REQUEST", "Invalid input data"
	case http.StatusUnauthorized:
		return "UNAUTHORIZED", "Authorization not provided"
	case http.StatusForbidden:
		return "FORBIDDEN", "Insufficient access"
	case http.StatusNotFound:
		return "NOT_FOUND", "Not found"
	case http.StatusInternalServerError:
		return "INTERNAL_SERVER_ERROR", "Internal server error"
	default:
		text := cmp.Or(http.StatusText(status), fmt.Sprintf("Status %d", status))
		return strings.ToUpper(strings.ReplaceAll(text, " ", "_")), text
	}
}

// writeError writes the envelope of a [failure]. Any other error is a 500 without its cause.
func writeError(w http.ResponseWriter, err error) {
	f := &failure{status: http.StatusInternalServerError}
	errors.As(err, &f)

	code, message := describeStatus(f.status)
	body := envelope{Code: code, Message: message, Issues: make([]issue, 0, len(f.issues))}
	for _, text := range f.issues {
		body.Issues = append(body.Issues, issue{Message: text})
	}
	writeJSON(w, f.status, body)
}

// writeJSON writes status and the JSON of value. Only a malformed document of a seed cannot be encoded: the response is
// then a 500.
func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := encode(value)
	if err != nil {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client has disconnected
}

// encode does not escape <, > and &, so that the documents of the seed are returned unchanged.
func encode(value any) ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return body.Bytes(), nil
}
