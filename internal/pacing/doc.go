// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package pacing decides when requests are sent, and whether and when they are
// sent again. It learns a service's limits from the requests that the service
// throttles. It knows the outcomes of requests, but neither HTTP nor any API.
//
// A request acquires permission before each attempt and releases it with the
// attempt's outcome:
//
//   - accepted: the limits permitted the request, whatever its result,
//   - throttled: the request exceeded a limit,
//   - failed: nothing is known about limits, such as after a lost connection.
//
// # Limits
//
// A throttled request does not show the kind of limit. The limiter (limits.go)
// therefore has five modes and begins with noRate:
//
//	mode       limits                changes to
//	noRate     requests in flight    probing, when a request is throttled although it is the only one
//	probing    one request, rate     slowStart, when a request is accepted
//	slowStart  rate                  steady, when a request is throttled; noRate, above 10,000 per second
//	steady     rate                  random, if reductions do not help; noRate, above 10,000 per second
//	random     nothing               noRate, after 10 s
//
// From every mode, twelve consecutive throttled requests lead to probing, because
// they show that a bucket or a window is exhausted.
//
// In noRate, each throttled request reduces the number in flight by one. Time
// without throttling raises it, slowly at first and then faster (a cubic
// function, as in TCP CUBIC and the adaptive retry mode of the AWS SDKs).
//
// In probing, one request at a time is sent, and each throttled one reduces the
// rate by a third. As soon as one is accepted, slowStart begins at that rate.
// Halving the previous rate instead would take a dozen bursts of throttled
// requests from 5,000 requests per second to 10.
//
// In slowStart, the rate doubles up to four times per second. In steady, each
// throttled request reduces it to 80 percent, and time without throttling raises
// it, again slowly at first and then faster. A limit that persists throttles about
// one in fifty requests, and the client recovers within seconds from one that was
// lifted.
//
// If requests are throttled even at a third of the throughput that the service
// accepted before, it throttles at random. In random, only consecutive throttled
// requests have an effect.
//
// # Retries
//
// Requests wait in one queue, in which retries precede first attempts. A failed
// request is retried after a random wait with an upper bound that doubles
// (exponential backoff with full jitter), up to the configured number of retries.
// A throttled attempt does not count against that number while others are
// accepted, because all requests together cause it. If the service states a wait,
// that wait applies, and a request that would have to wait longer than
// LongestWait ends.
//
// One object can be throttled permanently, which says nothing about the others.
// If several requests of an operation were throttled until their last attempt,
// and none was accepted, the operation's circuit breaker opens: throttled requests
// are not retried until one is accepted.
package pacing
