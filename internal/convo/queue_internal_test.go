// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestOrderOfTheQueue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 18, 9, 30, 0, 0, time.UTC)
	past, soon, later := now.Add(-time.Second), now.Add(time.Second), now.Add(time.Minute)
	tests := map[string]struct {
		a, b    turn
		blocked bool
		want    bool
	}{
		"both new":                           {turn{}, turn{}, false, false},
		"a retry before a first attempt":     {turn{sent: past}, turn{}, false, true},
		"a first attempt and a retry":        {turn{}, turn{sent: past}, false, false},
		"both retries":                       {turn{sent: past}, turn{sent: past}, false, false},
		"one that waits is last":             {turn{sent: past, notBefore: soon}, turn{}, false, false},
		"before one that waits":              {turn{}, turn{sent: past, notBefore: soon}, false, true},
		"a wait that is over":                {turn{sent: past, notBefore: now}, turn{}, false, true},
		"the shorter wait first":             {turn{notBefore: soon}, turn{notBefore: later}, false, true},
		"the longer wait last":               {turn{notBefore: later}, turn{notBefore: soon}, false, false},
		"equal waits":                        {turn{notBefore: soon}, turn{notBefore: soon}, false, false},
		"stopped: fewer refusals first":      {turn{refusals: 1}, turn{refusals: 2, sent: past}, true, true},
		"stopped: more refusals last":        {turn{refusals: 2, sent: past}, turn{refusals: 1}, true, false},
		"stopped: as many refusals":          {turn{refusals: 1, sent: past}, turn{refusals: 1}, true, false},
		"stopped: one that waits is last":    {turn{notBefore: soon}, turn{refusals: 5}, true, false},
		"stopped: the shorter wait is first": {turn{refusals: 5, notBefore: soon}, turn{notBefore: later}, true, true},
	}
	for name, test := range tests {
		l := &limiter{}
		if test.blocked {
			l.learned.blockedAt = past
		}
		if got := l.before(&test.a, &test.b, now); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// TestSlotOfACanceledTurn: a turn whose context ends just when it is admitted
// passes its slot on.
func TestSlotOfACanceledTurn(t *testing.T) {
	t.Parallel()
	for range 100 { // Which of the two is noticed first is a matter of chance.
		synctest.Test(t, func(t *testing.T) {
			l := newLimiter(1, 0, time.Second)
			first, second, third := &turn{}, &turn{}, &turn{}
			if _, err := l.admit(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var group sync.WaitGroup
			group.Go(func() {
				if _, err := l.admit(ctx, second); err == nil {
					l.release(second, outcomePassed, false)
				}
			})
			synctest.Wait()
			group.Go(func() {
				if _, err := l.admit(t.Context(), third); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			cancel()
			l.release(first, outcomePassed, false)
			group.Wait()
			if l.inFlight != 1 || len(l.queue) != 0 {
				t.Errorf("%d are in flight and %d wait, want the third in flight", l.inFlight, len(l.queue))
			}
		})
	}
}

// TestOperationThatIsGivenUp is attempted once by each call until one succeeds,
// and its refusals say nothing about limits.
func TestOperationThatIsGivenUp(t *testing.T) {
	t.Parallel()
	const hopeless = 12 // more than indicate an exhausted limit
	requests := 0
	handler := func(w http.ResponseWriter, _ *http.Request) {
		requests++
		if requests <= 2+hopeless || requests == 2+hopeless+2 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
	inBubble(t, handler, func(t *testing.T, b *bubble) {
		client := b.client(Config{MaxRetries: 1})
		call := func(attempts int, succeeds bool) {
			t.Helper()
			before := b.arrived()
			_, err := client.Agent(t.Context(), "agt_1")
			if (err == nil) != succeeds || b.arrived()-before != attempts {
				t.Errorf("got %v after %d attempts, want success %t after %d", err, b.arrived()-before, succeeds, attempts)
			}
		}
		call(2, false)
		for range hopeless {
			call(1, false)
		}
		if client.limiter.learned.blocked() {
			t.Error("the refusals of an operation that was given up stopped all requests")
		}
		call(1, true)
		call(2, true)
	})
}
