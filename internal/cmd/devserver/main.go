// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command devserver serves the development server on this machine, so that the provider can be tried without an account.
// It prints the provider's settings as shell commands to the standard output, and logs each request and each new agent of a
// session to the standard error.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// prefix is the path of the base URL.
const prefix = "/api"

// address is the default, so that the base URL is the same after a restart.
const address = "127.0.0.1:8484"

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
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
copy to -seed, and edit its files. The files in workspaces list the agents, whose
definitions are in the files in agents. The dates in the data are fixed: the last
activity, and the last day of the statistics, is March 18, 2026.

To estimate the time of an audit, pass the number of agents and the latency of
your service, for example -agents 1000 -latency 25ms.

To make the requests for an agent or a session, or all requests of an operation,
fail with a status, pass -fail, for example -fail agt_trade=403. To make others
fail, too, repeat it.

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
	listen := flags.String("listen", "", "listen on `ADDRESS`, where port 0 selects a free port (default "+address+",\nor a free port if that one is used)")
	directory := flags.String("seed", "", "serve the data in `DIRECTORY`, which is read again for each request")
	agents := flags.Int("agents", 0, "serve `N` generated agents instead of the default ones")
	latency := flags.Duration("latency", 0, "wait for `TIME`, such as 25ms, before each response")
	failures := map[string]int{}
	flags.Func("fail", "fail requests with `NAME=STATUS`, where NAME is the ID of an agent or a session, or an\n"+
		"operation of internal/api/openapi.yaml, such as listMembers", func(value string) error {
		name, text, _ := strings.Cut(value, "=")
		status, err := strconv.Atoi(text)
		if err != nil || status < 400 || status > 599 {
			return errors.New("must be NAME=STATUS with a status from 400 to 599, such as agt_trade=500")
		}
		failures[name] = status
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}

	seed, err := readSeed(*directory, *agents)
	if err != nil {
		return err
	}
	listener, err := listenOn(ctx, *listen, address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	newServer := func(seed devserver.Seed) http.Handler {
		seed.Failures = failures
		server := devserver.New(seed)
		server.Logger = logger
		server.Latency = *latency
		return server
	}
	handler := newServer(seed)
	if *directory != "" {
		handler = reloading(os.DirFS(*directory), newServer)
	}
	server := &http.Server{Handler: http.StripPrefix(prefix, handler), ReadHeaderTimeout: 10 * time.Second}
	printSettings(stdout, "http://"+listener.Addr().String()+prefix, seed)
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// listenOn listens on an address. If that is empty, it prefers one, and else selects a free port.
func listenOn(ctx context.Context, address, preferred string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", cmp.Or(address, preferred))
	if err != nil && address == "" {
		return config.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	return listener, err
}

// reloading serves the data in a directory, so that each response shows the current files.
func reloading(directory fs.FS, newServer func(devserver.Seed) http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		seed, err := devserver.ReadSeed(directory)
		if err != nil {
			devserver.ErrorHandler(http.StatusInternalServerError, err.Error()).ServeHTTP(w, r)
			return
		}
		newServer(seed).ServeHTTP(w, r)
	}
}

// readSeed returns the data that the flags select.
func readSeed(directory string, agents int) (devserver.Seed, error) {
	switch {
	case directory != "" && agents > 0:
		return devserver.Seed{}, errors.New("-agents conflicts with -seed")
	case directory != "":
		seed, err := devserver.ReadSeed(os.DirFS(directory))
		if err != nil {
			err = fmt.Errorf("-seed %s: %w", directory, err)
		}
		return seed, err
	case agents > 0:
		return devserver.ManyAgents(agents), nil
	}
	return devserver.DefaultSeed(), nil
}

// maxPrinted is the number of agents that are printed.
const maxPrinted = 20

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
	for _, agent := range seed.Agents[:min(len(seed.Agents), maxPrinted)] {
		text += fmt.Sprintf("# agent %s workspace=%s\n", agent.ID, agent.WorkspaceID)
	}
	for _, id := range slices.Sorted(maps.Keys(seed.Sessions)) {
		text += fmt.Sprintf("# session %s active=%t\n", id, seed.Sessions[id])
	}
	_, _ = io.WriteString(w, text)
}
