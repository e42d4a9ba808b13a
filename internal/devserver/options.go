// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"net/http"
	"time"
)

// config holds the settings of the options.
type config struct {
	initial         *Seed
	clock           func() time.Time
	latency         time.Duration
	faults          []func(*http.Request) http.Handler
	limits          []func(*Server) limit
	recording       bool
	periodParameter string
	behaviors       []Behavior
	missing         []string
}

// Option configures a [Server].
type Option func(*config)

func newConfig(opts []Option) config {
	c := config{clock: referenceTime, periodParameter: "timeFilter"}
	for _, opt := range opts {
		opt(&c)
	}
	if c.initial == nil {
		seed := DefaultSeed()
		c.initial = &seed
	}
	return c
}

// referenceTime is an instant shortly after the last activity in the default seed.
func referenceTime() time.Time {
	return time.Date(2026, time.March, 18, 9, 30, 0, 0, time.UTC)
}

// WithSeed sets the data that the server starts with, as [Server.SetSeed] does later. The default is [DefaultSeed].
func WithSeed(seed Seed) Option {
	return func(c *config) { c.initial = &seed }
}

// WithClock sets the server's clock, which the periods of the statistics are relative to. The default is the fixed
// instant 2026-03-18T09:30:00Z, shortly after the last activity in the default seed, so that responses are reproducible.
// The function must be safe for concurrent use.
func WithClock(clock func() time.Time) Option {
	return func(c *config) { c.clock = clock }
}

// WithLatency makes the server wait before every response, faults included. The wait ends early with the request's
// context.
func WithLatency(latency time.Duration) Option {
	return func(c *config) { c.latency = latency }
}

// WithFault makes the server call fault for each request, after recording it and before authentication. A handler
// that is not nil then responds instead of the server. With several faults, the first handler responds. The function
// must be safe for concurrent use; [ErrorHandler] returns a handler for the common case.
func WithFault(fault func(*http.Request) http.Handler) Option {
	return func(c *config) { c.faults = append(c.faults, fault) }
}

// WithRecording makes the server keep every request for [Server.Requests]. It is for tests: the memory that requests
// take grows without a limit.
func WithRecording() Option {
	return func(c *config) { c.recording = true }
}

// WithStatsPeriodParameter sets the name of the query parameter that selects the period in "Get agent statistics". The
// API does not document the name; the default is "timeFilter".
func WithStatsPeriodParameter(name string) Option {
	return func(c *config) { c.periodParameter = name }
}
