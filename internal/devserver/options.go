// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"net/http"
	"time"
)

// config is what the options set.
type config struct {
	seed             *Seed
	clock            func() time.Time
	latency          time.Duration
	faults           []func(*http.Request) http.Handler
	limits           []limitOption
	periodParameter  string
	sessionParameter string
}

// Option changes how a [Server] starts or answers.
type Option func(*config)

func newConfig(opts []Option) config {
	c := config{clock: referenceTime, periodParameter: "timeFilter", sessionParameter: "agentId"}
	for _, opt := range opts {
		opt(&c)
	}
	if c.seed == nil {
		seed := DefaultSeed()
		c.seed = &seed
	}
	return c
}

// referenceTime is the instant at which the default seed is believable.
func referenceTime() time.Time {
	return time.Date(2026, time.March, 18, 9, 30, 0, 0, time.UTC)
}

// WithSeed sets what the service starts from. The service never changes the documents of the seed, so one seed can
// start many services; its owner must not change them either. The default is [DefaultSeed].
func WithSeed(seed Seed) Option {
	return func(c *config) { c.seed = &seed }
}

// WithClock sets what the service takes for the current time: it dates requests and revisions, and the periods of the
// statistics are relative to it. The default is the fixed instant 2026-03-18T09:30:00Z, shortly after the last
// activity in the default seed, so that answers are reproducible. The function must be safe for concurrent use.
func WithClock(clock func() time.Time) Option {
	return func(c *config) { c.clock = clock }
}

// WithLatency makes the service wait before every answer, faults included. The wait ends early with the context of the
// request.
func WithLatency(latency time.Duration) Option {
	return func(c *config) { c.latency = latency }
}

// WithFault makes the service ask fault about each request, after it is recorded and before authentication. A handler
// that is not nil answers in place of the service. With several faults, the first handler answers. The function must
// be safe for concurrent use; [ErrorHandler] makes a handler for the common case.
func WithFault(fault func(*http.Request) http.Handler) Option {
	return func(c *config) { c.faults = append(c.faults, fault) }
}

// WithStatsPeriodParameter sets the name of the query parameter that selects the period of operation 2, "Get agent
// statistics". The interface leaves the name open; the default is "timeFilter".
func WithStatsPeriodParameter(name string) Option {
	return func(c *config) { c.periodParameter = name }
}

// WithSessionAgentParameter sets the key that names the new agent in the body of operation 5, "Update the agent of a
// session". The interface leaves the payload open; the default is "agentId".
func WithSessionAgentParameter(name string) Option {
	return func(c *config) { c.sessionParameter = name }
}
