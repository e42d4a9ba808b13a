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

// settings is what the flags say.
type settings struct {
	listen      string
	allowRemote bool
	prefix      string
	latency     time.Duration
	agents      int
	failEvery   int
	failStatus  int
}

func parseSettings(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("convo-devserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 takes a free one")
	flags.BoolVar(&s.allowRemote, "allow-remote", false, "allow an address that other machines can reach")
	flags.StringVar(&s.prefix, "prefix", "/api", "`path` before /v1; may be empty")
	flags.DurationVar(&s.latency, "latency", 0, "wait before every answer")
	flags.IntVar(&s.agents, "agents", 0, "serve this `number` of generated agents in place of the twelve")
	flags.IntVar(&s.failEvery, "fail-every", 0, "let every request of this `number` fail; 0 lets none fail")
	flags.IntVar(&s.failStatus, "fail-status", http.StatusInternalServerError, "`status` of the failures of -fail-every")
	if err := flags.Parse(args); err != nil {
		return settings{}, fmt.Errorf("read the flags: %w", err)
	}
	if flags.NArg() > 0 {
		return settings{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	s.prefix = strings.TrimSuffix(s.prefix, "/")
	return s, s.validate()
}

func (s settings) validate() error {
	if !s.allowRemote && !isLoopback(s.listen) {
		return fmt.Errorf("other machines may reach %q: pass -allow-remote if they should", s.listen)
	}
	if s.prefix != "" && !strings.HasPrefix(s.prefix, "/") {
		return fmt.Errorf("-prefix %q does not begin with a slash", s.prefix)
	}
	if s.latency < 0 || s.agents < 0 || s.failEvery < 0 {
		return errors.New("-latency, -agents and -fail-every must not be negative")
	}
	if s.failStatus < 400 || s.failStatus > 599 {
		return fmt.Errorf("-fail-status %d is no status of an error, 400 to 599", s.failStatus)
	}
	return nil
}

// isLoopback reports whether only this machine reaches an address. An absent host means all interfaces.
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

func (s settings) service(seed devserver.Seed) http.Handler {
	opts := []devserver.Option{devserver.WithSeed(seed), devserver.WithLatency(s.latency)}
	if s.failEvery > 0 {
		opts = append(opts, devserver.WithFault(failEvery(s.failEvery, s.failStatus)))
	}
	return devserver.New(opts...)
}

// failEvery lets the nth request fail, and each nth one after it.
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
