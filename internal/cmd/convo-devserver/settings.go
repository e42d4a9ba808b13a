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
	limits      limits
}

// limits is what the flags say of the service's limits; zero values set none.
type limits struct {
	perSecond     float64
	burst         int
	window        time.Duration
	count         int
	maxInFlight   int
	refuseShare   float64
	refuseSeed    uint64
	refuse        string
	dontSendAfter bool
}

func (l *limits) register(flags *flag.FlagSet) {
	flags.Float64Var(&l.perSecond, "limit-rate", 0, "let through this `number` of requests per second, and refuse others with 429")
	flags.IntVar(&l.burst, "limit-burst", 1, "let through this `number` of requests at once with -limit-rate")
	flags.IntVar(&l.count, "limit-window-count", 0, "let through this `number` of requests in each -limit-window")
	flags.DurationVar(&l.window, "limit-window", time.Minute, "length of the window of -limit-window-count")
	flags.BoolVar(&l.dontSendAfter, "limit-without-retry-after", false, "send no Retry-After header with a refusal")
	flags.IntVar(&l.maxInFlight, "limit-in-flight", 0, "let through this `number` of requests at the same time")
	flags.Float64Var(&l.refuseShare, "refuse-share", 0, "refuse this `share` of the requests at random, from 0 to 1")
	flags.Uint64Var(&l.refuseSeed, "refuse-seed", 1, "`number` that decides which requests -refuse-share refuses")
	flags.StringVar(&l.refuse, "refuse", "", "refuse one `operation` for good, such as \"GET /v1/agents/{agentId}\"")
}

func (l *limits) validate() error {
	switch {
	case l.perSecond < 0 || l.count < 0 || l.maxInFlight < 0:
		return errors.New("-limit-rate, -limit-window-count and -limit-in-flight must not be negative")
	case l.burst < 1 || l.window <= 0:
		return errors.New("-limit-burst and -limit-window must be positive")
	case l.refuseShare < 0 || l.refuseShare > 1:
		return errors.New("-refuse-share must be from 0 to 1")
	}
	return nil
}

func (l *limits) options() []devserver.Option {
	var opts []devserver.Option
	if l.perSecond > 0 {
		opts = append(opts, devserver.WithTokenBucket(l.perSecond, l.burst, !l.dontSendAfter))
	}
	if l.count > 0 {
		opts = append(opts, devserver.WithFixedWindow(l.count, l.window, !l.dontSendAfter))
	}
	if l.maxInFlight > 0 {
		opts = append(opts, devserver.WithMaxInFlight(l.maxInFlight))
	}
	if l.refuseShare > 0 {
		opts = append(opts, devserver.WithRandomRefusals(l.refuseShare, l.refuseSeed))
	}
	if l.refuse != "" {
		opts = append(opts, devserver.WithRefusedOperation(l.refuse))
	}
	return opts
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
	s.limits.register(flags)
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
	return s.limits.validate()
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
	return devserver.New(append(opts, s.limits.options()...)...)
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
