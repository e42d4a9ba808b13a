// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"log/slog"
	"net/http"
)

// logRequests logs method, path and status of each request after its response. It logs neither headers nor the query,
// which can contain secrets.
func logRequests(logger *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(recorder, r)
		logger.InfoContext(r.Context(), "request", "method", r.Method, "path", path, "status", recorder.status)
	})
}

// statusRecorder records the status that is written through it.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}
