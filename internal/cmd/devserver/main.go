// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command devserver serves the development server on this machine, so that the provider can be tried without an account.
// It prints the provider's settings as shell commands to the standard output, logs each request and each new agent of a
// session to the standard error, and stops on an interrupt.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// prefix is the path of the base URL.
const prefix = "/api"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()

	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "devserver:", err)
		os.Exit(1)
	}
}

const usage = `Usage: go run ./internal/cmd/devserver [flags]

Serves a local implementation of the API, so that you can try the provider without
an account, and prints the environment variables, tokens, and IDs to use. To stop
it, press Ctrl+C.

To change the data while the server runs, copy internal/devserver/seed, pass the
copy to -seed, and edit its files.

To make the requests for an agent or a session, or all requests of an operation,
fail with a status, pass -fail, for example -fail agt_trade=403,listMembers=500.

Flags:
`

// run serves until ctx ends, which is no error. It returns [flag.ErrHelp] after printing the help. Errors of the flags are
// printed with the help.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("devserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		_, _ = io.WriteString(stderr, usage)
		flags.PrintDefaults()
	}
	listen := flags.String("listen", "127.0.0.1:0", "listen on `ADDRESS`; port 0 selects a free port")
	directory := flags.String("seed", "", "serve the data in `DIRECTORY`, which is read again for each request")
	deviates := flags.Bool("deviate", false, "respond as services do that deviate from the API's documentation, which omit fields,\n"+
		"list agents only with the query parameter workspaceId, and have no statistics of drafts")
	failures := map[string]int{}
	flags.Func("fail", "fail requests with `NAME=STATUS`, where NAME is the ID of an agent or a session, or one of\n"+
		strings.Join(devserver.Operations(), ", "), func(value string) error {
		return parseFailures(value, failures)
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}

	logger := slog.New(slog.NewTextHandler(stderr, nil))
	data := &source{directory: *directory, failures: failures, deviates: *deviates, logger: logger}
	seed, err := data.read()
	if err != nil {
		return fmt.Errorf("-seed %s: %w", *directory, err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	for _, agent := range seed.Agents {
		if agent.Err != nil {
			logger.ErrorContext(ctx, "invalid agent", "agent", agent.ID, "error", agent.Err)
		}
	}
	server := &http.Server{Handler: http.StripPrefix(prefix, data), ReadHeaderTimeout: 10 * time.Second}
	printSettings(stdout, "http://"+listener.Addr().String()+prefix, seed)
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// parseFailures adds failures such as "agt_trade=500,listMembers=403".
func parseFailures(value string, failures map[string]int) error {
	for failure := range strings.SplitSeq(value, ",") {
		name, text, _ := strings.Cut(failure, "=")
		status, err := strconv.Atoi(text)
		if err != nil || status < 400 || status > 599 {
			return fmt.Errorf("%q must be NAME=STATUS with a status from 400 to 599, such as agt_trade=500", failure)
		}
		failures[name] = status
	}
	return nil
}

// source serves the default seed, or that in a directory, which it reads for each request, so that the next plan shows a
// change of its files. No request changes the data.
type source struct {
	directory string // "" for the default seed
	failures  map[string]int
	deviates  bool
	logger    *slog.Logger
}

// read returns the seed.
func (s *source) read() (devserver.Seed, error) {
	if s.directory == "" {
		return devserver.DefaultSeed(), nil
	}
	return devserver.ReadSeed(os.DirFS(s.directory))
}

// ServeHTTP serves the current seed.
func (s *source) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	seed, err := s.read()
	if err != nil {
		s.logger.ErrorContext(r.Context(), "invalid data", "error", err)
		devserver.ErrorHandler(http.StatusInternalServerError, err.Error()).ServeHTTP(w, r)
		return
	}
	seed.Failures, seed.Deviates = s.failures, s.deviates
	server := devserver.New(seed)
	server.Logger = s.logger
	server.ServeHTTP(w, r)
}

// printSettings prints the provider's settings and the server's content as lines that a shell can read.
func printSettings(w io.Writer, baseURL string, seed devserver.Seed) {
	text := fmt.Sprintf("export CONVO_BASE_URL=%s\nexport CONVO_TOKEN=%s\n", baseURL, devserver.TokenWrite)
	for _, token := range slices.Sorted(maps.Keys(seed.Callers)) {
		caller := seed.Callers[token]
		text += fmt.Sprintf("# token %s mode=%q workspace=%s\n", token, caller.Mode, caller.WorkspaceID)
	}
	for _, workspace := range seed.Workspaces {
		text += fmt.Sprintf("# workspace %s slug=%q\n", workspace.ID, workspace.Slug)
	}
	for _, agent := range seed.Agents {
		text += fmt.Sprintf("# agent %s workspace=%s\n", agent.ID, agent.WorkspaceID)
	}
	for _, session := range seed.Sessions {
		text += fmt.Sprintf("# session %s active=%t\n", session.ID, session.Active)
	}
	_, _ = io.WriteString(w, text)
}
