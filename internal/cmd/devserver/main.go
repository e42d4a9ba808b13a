// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command convo-devserver serves the reference service on this machine, so that the provider can be tried without an
// account. Its help (-h) describes the flags and the paths that change the data while it runs.
//
// It prints the provider's settings as shell commands to the standard output, logs each request to the standard error,
// and stops on an interrupt.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// shutdownTimeout limits the time that requests in flight may still take after an interrupt.
const shutdownTimeout = 5 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()

	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "convo-devserver:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. It returns nil after an orderly end, and [flag.ErrHelp] after printing the help.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	settings, err := parseSettings(args, stdout)
	if err != nil {
		return err
	}
	seed := settings.seed()

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", settings.listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	server := &http.Server{
		Handler:           logRequests(logger, settings.handler(seed)),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	if err := printGuide(stdout, "http://"+listener.Addr().String(), settings, seed); err != nil {
		return errors.Join(err, listener.Close())
	}
	return serve(ctx, server, listener)
}

// serve stops the server when ctx ends, and lets requests in flight finish.
func serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()

	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("shut down: %w", err), server.Close())
	}
	return nil
}
