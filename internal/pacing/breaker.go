// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pacing

// breaker is the circuit breaker of each operation. It opens if several requests of the
// operation were throttled until their last attempt, and none was admitted since. While it
// is open, throttled requests of the operation are not retried, and do not slow others
// down.
type breaker struct {
	limit     int            // number of requests that open it
	throttled map[string]int // requests by operation
}

func newBreaker(config Config) breaker {
	b := breaker{limit: 3, throttled: map[string]int{}}
	if config.MaxRetries == 0 {
		// A single attempt shows less. While a limit is exhausted, it can throttle those in
		// flight, and then one for each gap.
		b.limit = config.MaxInFlight + int(maxThrottled/maxGap)
	}
	return b
}

func (b breaker) isOpen(operation string) bool { return b.throttled[operation] >= b.limit }

// count counts a request that was throttled until its last attempt. It reports whether
// this request opens the breaker.
func (b breaker) count(operation string) bool {
	b.throttled[operation]++
	return b.throttled[operation] == b.limit
}

// close closes the breaker after a request of the operation was admitted.
func (b breaker) close(operation string) { delete(b.throttled, operation) }
