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

// messages are the documented messages of errors.
var messages = map[int]string{
	http.StatusBadRequest:          "Invalid input data",
	http.StatusUnauthorized:        "Authorization not provided",
	http.StatusForbidden:           "Insufficient access",
	http.StatusNotFound:            "Not found",
	http.StatusInternalServerError: "Internal server error",
}

// ErrorHandler returns a handler that responds with status and the error envelope. The documented codes are those of
// HTTP. For a status that the API does not document, the message is that of HTTP, too.
func ErrorHandler(status int, issues ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		list := []map[string]string{} // never null
		for _, issue := range issues {
			list = append(list, map[string]string{"message": issue})
		}
		text := http.StatusText(status)
		writeJSON(w, status, map[string]any{
			"code":    strings.ToUpper(strings.ReplaceAll(text, " ", "_")),
			"message": cmp.Or(messages[status], text),
			"issues":  list,
		})
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
