// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// settings holds the values of the flags.
type settings struct {
	listen      string
	allowRemote bool
	prefix      string
	latency     time.Duration
	agents      int
	failEvery   int
	failStatus  int
	control     bool
	limits      limits
}

// parseSettings reads the flags. If the help is requested, it writes it to stdout and returns [flag.ErrHelp].
func parseSettings(args []string, stdout io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("convo-devserver", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints errors, and only -h prints the help
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0", "Listen on `ADDRESS`. Port 0 selects a free port.")
	flags.BoolVar(&s.allowRemote, "allow-remote", false, "Allow -listen addresses that other machines can reach.")
	flags.StringVar(&s.prefix, "prefix", "/api", "Serve the API below `PATH`. For no prefix, use /.")
	flags.DurationVar(&s.latency, "latency", 0, "Wait `DURATION`, such as 200ms, before each response.")
	flags.IntVar(&s.agents, "agents", 0, "Serve `NUMBER` generated agents instead of the default agents and sessions.")
	flags.IntVar(&s.failEvery, "fail-every", 0, "Fail every `N`th request. With 3, for example, requests 3, 6, and 9 fail. Retries count as requests. With 0, no requests fail.")
	flags.IntVar(&s.failStatus, "fail-status", http.StatusInternalServerError, "Return `STATUS`, from 400 to 599, for the requests that -fail-every fails.")
	flags.BoolVar(&s.control, "control", true, "Serve the control paths below /-/ to clients on this machine. "+
		"Behind a proxy on this machine, use -control=false, because all requests then come from this machine.")
	s.limits.register(flags)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return settings{}, errors.Join(err, printHelp(stdout, flags))
		}
		return settings{}, fmt.Errorf("%w (for help, use -h)", err)
	}
	if flags.NArg() > 0 {
		return settings{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	s.prefix = strings.TrimSuffix(s.prefix, "/")
	return s, s.validate()
}

func (s settings) validate() error {
	if !s.allowRemote && !isLoopback(s.listen) {
		return fmt.Errorf("other machines may be able to reach %q; to allow this, use -allow-remote", s.listen)
	}
	if s.prefix != "" && !strings.HasPrefix(s.prefix, "/") || strings.HasPrefix(s.prefix+"/", controlPath) {
		return fmt.Errorf("-prefix %q must begin with a slash, but not with /-/", s.prefix)
	}
	if s.latency < 0 || s.agents < 0 || s.failEvery < 0 {
		return errors.New("-latency, -agents, and -fail-every must not be negative")
	}
	if s.failStatus < 400 || s.failStatus > 599 {
		return fmt.Errorf("-fail-status %d must be from 400 to 599", s.failStatus)
	}
	return s.limits.validate()
}

// isLoopback reports whether only this machine can reach a host and port. Without a host, they mean all network
// interfaces.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (s settings) seed() devserver.Seed {
	if s.agents > 0 {
		return devserver.ManyAgents(s.agents)
	}
	return devserver.DefaultSeed()
}

// handler serves the API below the prefix, and the control paths at the root.
func (s settings) handler(seed devserver.Seed) http.Handler {
	opts := []devserver.Option{devserver.WithSeed(seed), devserver.WithLatency(s.latency)}
	if s.failEvery > 0 {
		opts = append(opts, devserver.WithFault(failEvery(s.failEvery, s.failStatus)))
	}
	server := devserver.New(append(opts, s.limits.options()...)...)
	api, control := http.StripPrefix(s.prefix, server), server.Control()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.control && strings.HasPrefix(r.URL.Path, controlPath) {
			control.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// failEvery fails the nth request, and each nth one after it.
func failEvery(n, status int) func(*http.Request) http.Handler {
	var count atomic.Int64
	failure := devserver.ErrorHandler(status)
	return func(*http.Request) http.Handler {
		if count.Add(1)%int64(n) != 0 {
			return nil
		}
		return failure
	}
}
