// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command convo-devserver serves the reference service of the interface on this machine, for trying the provider
// without an account.
//
// It prints the settings of the provider as shell commands on the standard output, logs each request to the standard
// error, and ends on an interrupt.
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

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// shutdownTimeout is how long the requests under way may take once the command is told to end.
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

// run serves until ctx ends. It returns nil after an orderly end, and [flag.ErrHelp] when only help was asked for.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	settings, err := parseSettings(args, stderr)
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
		Handler:           logRequests(logger, http.StripPrefix(settings.prefix, settings.service(seed))),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	if err := printGuide(stdout, "http://"+listener.Addr().String()+settings.prefix, seed); err != nil {
		return errors.Join(err, listener.Close())
	}
	return serve(ctx, server, listener)
}

// serve ends the server when ctx ends, and lets requests under way finish.
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

// printGuide says how to reach the service, as lines that a shell can read.
func printGuide(w io.Writer, baseURL string, seed devserver.Seed) error {
	const mostAgents = 20
	guide := fmt.Sprintf("export CONVO_BASE_URL=%s\nexport CONVO_TOKEN=%s\n", baseURL, devserver.TokenWrite)
	guide += fmt.Sprintf("# other tokens: %s %s %s\n",
		devserver.TokenRead, devserver.TokenGuest, devserver.TokenNoAccess)
	for _, workspace := range seed.Workspaces {
		guide += fmt.Sprintf("# workspace %s slug=%q\n", workspace.ID, workspace.Slug)
	}
	for i, agent := range seed.Agents {
		if i == mostAgents {
			guide += fmt.Sprintf("# and %d agents more\n", len(seed.Agents)-mostAgents)
			break
		}
		guide += fmt.Sprintf("# agent %s\n", agent.ID)
	}
	for _, session := range seed.Sessions {
		guide += fmt.Sprintf("# session %s active=%t\n", session.ID, session.Active)
	}

	if _, err := io.WriteString(w, guide); err != nil {
		return fmt.Errorf("print the base URL: %w", err)
	}
	return nil
}
