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

// failure is an error with the response's status and the messages of its issues.
type failure struct {
	status int
	issues []string
	path   []string // of the input that the issues concern, or nil
}

var errNotFound = &failure{status: http.StatusNotFound}

func (f *failure) Error() string {
	return fmt.Sprintf("%d: %v", f.status, f.issues)
}

// badRequest returns an error about the input.
func badRequest(format string, args ...any) error {
	return &failure{status: http.StatusBadRequest, issues: []string{fmt.Sprintf(format, args...)}}
}

// ErrorHandler returns a handler that responds with status and the error envelope (section "Errors"). For a status that
// the API does not document, the code and the message are made from its standard text, such as TOO_MANY_REQUESTS.
func ErrorHandler(status int, issues ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, &failure{status: status, issues: issues}, false)
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

// writeError writes the body of a [failure] (section "Errors"), whose issues are in another place if it deviates. The
// documented codes are those of HTTP. Any other error is a 500 without its cause. It returns the status.
func writeError(w http.ResponseWriter, err error, deviates bool) int {
	f := &failure{status: http.StatusInternalServerError}
	errors.As(err, &f)
	type issue struct {
		Message string   `json:"message"`
		Path    []string `json:"path,omitempty"`
	}
	issues := []issue{} // never null
	for _, message := range f.issues {
		issues = append(issues, issue{message, f.path})
	}
	text := cmp.Or(http.StatusText(f.status), fmt.Sprintf("Status %d", f.status))
	code, message := strings.ToUpper(strings.ReplaceAll(text, " ", "_")), cmp.Or(messages[f.status], text)
	body := struct {
		Code    string             `json:"code"`
		Message string             `json:"message"`
		Issues  []issue            `json:"issues,omitzero"`
		Data    map[string][]issue `json:"data,omitempty"`
	}{code, message, issues, nil}
	if deviates {
		body.Issues = nil
		body.Data = map[string][]issue{"issues": issues}
	}
	writeJSON(w, f.status, body)
	return f.status
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
