// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package pacing decides when requests are sent, and whether and when they are
// sent again. It learns a service's limits from the requests that the service
// refuses. It knows the outcomes of requests, but neither HTTP nor any API.
//
// A request acquires permission before each attempt and releases it with the
// attempt's outcome:
//
//   - accepted: the limits permitted the request, whatever its result,
//   - refused: the request exceeded a limit,
//   - failed: nothing is known about limits, such as after a lost connection.
//
// # Limits
//
// A refusal does not show the kind of limit. Two limits are therefore learned at
// once, the number of requests in flight and the rate:
//
// Requests in flight. Each refusal reduces the limit by one. Time without
// refusals raises it, slowly at first and then faster (a cubic function, as in
// TCP CUBIC and the adaptive retry mode of the AWS SDKs).
//
// Rate. There is none until one of these events:
//
//   - Twelve consecutive refusals show that a bucket or a window is exhausted. From
//     then on, only probes are sent: one request at a time, after waits that grow.
//     As soon as one is accepted, sending resumes at the last rate of the probes.
//     Halving the previous rate instead would take a dozen bursts of refusals from
//     5,000 requests per second to 10.
//   - A request is refused although it is the only one in flight, so that the
//     number in flight cannot be the reason. The rate is the one at which requests
//     were accepted.
//
// The rate then doubles up to four times per second (slow start) until a request
// is refused. From then on, each refusal reduces it to 80 percent, and time
// without refusals raises it, slowly at first and then faster. A limit that
// persists refuses about one in fifty requests, and the client recovers within
// seconds from one that was lifted.
//
// If refusals continue at a third of the throughput that the service accepted at
// first, it refuses at random. For a while, single refusals then have no effect.
//
// # Retries
//
// Requests wait in one queue, in which retries precede first attempts. A failed
// request is retried after a random wait with an upper bound that doubles
// (backoff with full jitter), up to the configured number of retries. A refusal
// does not count against that number while others are accepted, because all
// requests together cause it. If the service states a wait, that wait applies,
// and a request that would have to wait longer than LongestWait ends.
//
// One object can be refused permanently, which says nothing about the others.
// Only after several requests of an operation were refused until their last
// attempt, and none was accepted, is each further one attempted only once.
package pacing
