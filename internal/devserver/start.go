// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Start serves on a free loopback port until stop is called. It returns the base URL for a client, which ends in the
// prefix /api.
func (s *Server) Start(ctx context.Context) (baseURL string, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: http.StripPrefix("/api", s), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String() + "/api", func() { _ = server.Close() }, nil
}
