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
// TCP CUBIC and the adaptive retry mode of the AWS SDKs). If a request is refused
// while it is the only one in flight, their number is not the reason, and the
// limit returns to its maximum.
//
// Rate. There is none until ten consecutive refusals show that a bucket or a
// window is exhausted, or until a request is refused although it is the only one
// in flight. Then:
//
//  1. While the limit is exhausted, only probes are sent: one request at a time,
//     after waits that grow.
//  2. As soon as a probe is accepted, sending resumes. The rate is the number of
//     requests accepted since the limit was exhausted before, divided by the
//     time since then. It is measured instead of halved, because halving from
//     5,000 requests per second to 10 takes a dozen bursts of refusals. The first
//     time there is no such measurement, because a bucket was full at the start,
//     and the rate is that of the probe.
//  3. The rate doubles up to four times per second (slow start) until a request
//     is refused, which reduces it to 70 percent.
//  4. From then on, each refusal reduces the rate to 85 percent, and it grows
//     again (a cubic exponent). A limit that persists refuses about one in forty
//     requests, and the client recovers within seconds from one that was lifted.
//  5. If the limit is exhausted again, the procedure starts over at 1.
//
// If refusals continue at half of the rate at which requests were accepted
// before, the service refuses at random, and the rate is dropped.
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
// Only after several objects of an operation were refused until their last
// attempt, and none was accepted, is each further request of that operation
// attempted only once.
package pacing
