// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"flag"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// limits are the service's limits as set by flags. Zero values set none.
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
	flags.Float64Var(&l.perSecond, "limit-rate", 0, "Accept `NUMBER` requests per second on average, and refuse others with status 429.")
	flags.IntVar(&l.burst, "limit-burst", 1, "With -limit-rate, accept bursts of up to `NUMBER` requests.")
	flags.IntVar(&l.count, "limit-window-count", 0, "Accept `NUMBER` requests in each -limit-window, and refuse others with status 429.")
	flags.DurationVar(&l.window, "limit-window", time.Minute, "Count the requests for -limit-window-count in windows of `DURATION`.")
	flags.BoolVar(&l.dontSendAfter, "limit-without-retry-after", false, "Do not send a Retry-After header with status 429.")
	flags.IntVar(&l.maxInFlight, "limit-in-flight", 0, "Accept `NUMBER` concurrent requests, and refuse others with status 429.")
	flags.Float64Var(&l.refuseShare, "refuse-share", 0, "Refuse a random `SHARE` of all requests, from 0 to 1, with status 429.")
	flags.Uint64Var(&l.refuseSeed, "refuse-seed", 1, "Use `NUMBER` as the random seed for -refuse-share.")
	flags.StringVar(&l.refuse, "refuse", "", "Refuse every request for `OPERATION`, such as \"GET /v1/agents/{agentId}\", with status 429.")
}

func (l *limits) validate() error {
	switch {
	case l.perSecond < 0 || l.count < 0 || l.maxInFlight < 0:
		return errors.New("-limit-rate, -limit-window-count, and -limit-in-flight must not be negative")
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
