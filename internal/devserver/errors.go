// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// failure is an error with the response's status and the messages of its issues.
type failure struct {
	status int
	issues []string
}

var errNotFound = &failure{status: http.StatusNotFound}

// badRequest returns an error about the input.
func badRequest(format string, args ...any) *failure {
	return &failure{status: http.StatusBadRequest, issues: []string{fmt.Sprintf(format, args...)}}
}

// ErrorHandler returns a handler that responds with status and the error envelope. For a status that
// the API does not document, the code and the message are made from its standard text, such as TOO_MANY_REQUESTS.
func ErrorHandler(status int, issues ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, &failure{status: status, issues: issues})
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

// writeError writes the body of a [failure]. The documented codes are those of HTTP.
func writeError(w http.ResponseWriter, f *failure) {
	type issue struct {
		Message string `json:"message"`
	}
	issues := []issue{} // never null
	for _, message := range f.issues {
		issues = append(issues, issue{message})
	}
	text := cmp.Or(http.StatusText(f.status), fmt.Sprintf("Status %d", f.status))
	writeJSON(w, f.status, struct {
		Code    string  `json:"code"`
		Message string  `json:"message"`
		Issues  []issue `json:"issues"`
	}{
		Code:    strings.ToUpper(strings.ReplaceAll(text, " ", "_")),
		Message: cmp.Or(messages[f.status], text),
		Issues:  issues,
	})
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
