// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// settings holds the values of the flags.
type settings struct {
	listen  string
	seedDir string
	agents  int
	options []devserver.Option
}

const usage = `Usage: go run ./internal/cmd/devserver [flags]

Serves a local implementation of the API, so that you can try the provider without
an account, and prints the environment variables, tokens, and IDs to use. To stop
it, press Ctrl+C.

To change the data while the server runs, copy internal/devserver/seed, pass the
copy to -seed, and edit its files.

To imitate servers that differ from the documented API, use -behavior:
  draft-stats         returns 404 for statistics of an agent that was never published
  hidden-objects      without access or with an invalid token, lists no agents, and
                      returns 404 for other reads, and 401 for session updates
  nested-issues       returns an error's issues in data.issues, with paths
  read-activity       changes lastActivityAt when a workspace is read
  unpaid-agents       returns 404 for definitions in a past-due or suspended workspace
  workspace-in-query  lists agents only with the query parameter workspaceId

Flags:
`

// parseSettings reads the flags. If the help is requested, it returns [flag.ErrHelp]. Errors of the flags are printed with
// the help.
func parseSettings(args []string, stderr io.Writer) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("devserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		_, _ = io.WriteString(stderr, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0", "listen on `ADDRESS`; port 0 selects a free port")
	flags.StringVar(&s.seedDir, "seed", "", "serve the data in `DIRECTORY`, which is read again for each request")
	flags.IntVar(&s.agents, "agents", 0, "serve `NUMBER` generated agents instead of the default agents and sessions")
	latency := flags.Duration("latency", 0, "wait `DURATION`, such as 200ms, before each response")
	failEvery := flags.Int("fail-every", 0, "fail every `N`th request, retries included")
	failStatus := flags.Int("fail-status", http.StatusInternalServerError, "return `STATUS`, from 400 to 599, for the requests that -fail-every fails")
	limitRate := flags.Float64("limit-rate", 0, "accept `NUMBER` requests per second on average, and refuse others with status 429")
	limitBurst := flags.Int("limit-burst", 1, "with -limit-rate, accept bursts of up to `NUMBER` requests")
	maxInFlight := flags.Int("limit-in-flight", 0, "accept `NUMBER` concurrent requests, and refuse others with status 429")
	flags.Func("behavior", "enable the behaviors `NAMES`, separated by commas, such as draft-stats,nested-issues", s.addBehaviors)
	flags.Func("missing", "leave out the documented fields at `PATHS` in responses, such as agents.isPublished,agent.exposure.state.locked", func(paths string) error {
		s.options = append(s.options, devserver.WithMissingFields(strings.Split(paths, ",")...))
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case min(s.agents, *failEvery, *limitBurst, *maxInFlight) < 0 || *latency < 0 || *limitRate < 0:
		return nil, errors.New("numbers must not be negative")
	case *failStatus < 400 || *failStatus > 599:
		return nil, fmt.Errorf("-fail-status %d must be from 400 to 599", *failStatus)
	case s.agents > 0 && s.seedDir != "":
		return nil, errors.New("-agents conflicts with -seed")
	}

	s.options = append(s.options, devserver.WithLatency(*latency))
	if *limitRate > 0 {
		s.options = append(s.options, devserver.WithTokenBucket(*limitRate, *limitBurst, true))
	}
	if *maxInFlight > 0 {
		s.options = append(s.options, devserver.WithMaxInFlight(*maxInFlight))
	}
	if *failEvery > 0 {
		s.options = append(s.options, devserver.WithFault(failNth(*failEvery, *failStatus)))
	}
	return s, nil
}

func (s *settings) addBehaviors(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		if !slices.Contains(devserver.Behaviors(), devserver.Behavior(name)) {
			return fmt.Errorf("%q is not a behavior", name)
		}
		s.options = append(s.options, devserver.WithBehavior(devserver.Behavior(name)))
	}
	return nil
}

func (s *settings) seed() (devserver.Seed, error) {
	switch {
	case s.seedDir != "":
		return devserver.ReadSeed(os.DirFS(s.seedDir))
	case s.agents > 0:
		return devserver.ManyAgents(s.agents), nil
	default:
		return devserver.DefaultSeed(), nil
	}
}

// handler serves the API. With a seed directory, it reads the directory again for each request, so that the next plan
// shows a change.
func (s *settings) handler(seed devserver.Seed) http.Handler {
	server := devserver.New(append(s.options, devserver.WithSeed(seed))...)
	if s.seedDir == "" {
		return server
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seed, err := s.seed()
		if err != nil {
			devserver.ErrorHandler(http.StatusInternalServerError, err.Error()).ServeHTTP(w, r)
			return
		}
		server.SetSeed(seed)
		server.ServeHTTP(w, r)
	})
}

// failNth fails the nth request, and each nth one after it.
func failNth(n, status int) func(*http.Request) http.Handler {
	var count atomic.Int64
	return func(*http.Request) http.Handler {
		if count.Add(1)%int64(n) != 0 {
			return nil
		}
		return devserver.ErrorHandler(status)
	}
}
