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

// TestOperationThatIsGivenUp is attempted once by each call until one succeeds.
func TestOperationThatIsGivenUp(t *testing.T) {
	t.Parallel()
	const hopeless = 3
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
		call(1, true)
		call(2, true)
	})
}

// TestOperationThatPassedInTheMeantime is not given up, although one of its calls
// was refused to the end.
func TestOperationThatPassedInTheMeantime(t *testing.T) {
	t.Parallel()
	refusedOnce := false
	handler := func(w http.ResponseWriter, r *http.Request) {
		switch id := r.URL.Path[len("/api/v1/agents/"):]; {
		case id == "always":
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
		case id == "once" && !refusedOnce:
			refusedOnce = true
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
	inBubble(t, handler, func(t *testing.T, b *bubble) {
		client := b.client(Config{MaxRetries: 1})
		var group sync.WaitGroup
		for id, at := range map[string]time.Duration{"always": 0, "never": time.Second, "once": 130 * time.Second} {
			group.Add(1)
			b.at(at, func() {
				defer group.Done()
				if _, err := client.Agent(t.Context(), id); (err != nil) != (id == "always") {
					t.Errorf("%s: got %v", id, err)
				}
			})
		}
		group.Wait()
	})
}

// TestRetryAfterIsNoticed: a service that says how long to wait is believed to
// have a limit.
func TestRetryAfterIsNoticed(t *testing.T) {
	t.Parallel()
	for retryAfter, want := range map[string]bool{"": false, "0": false, "30": true} {
		handler := func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/agents/slow" {
				time.Sleep(10 * time.Second)
				return
			}
			w.Header().Set("Retry-After", retryAfter)
			w.WriteHeader(http.StatusTooManyRequests)
		}
		inBubble(t, handler, func(t *testing.T, b *bubble) {
			client := b.client(Config{MaxRetries: 1, RetryWait: time.Hour})
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			var group sync.WaitGroup
			for _, id := range []string{"slow", "refused"} {
				group.Go(func() { _, _ = client.Agent(ctx, id) })
			}
			time.Sleep(time.Second)
			client.limiter.mu.Lock()
			if got := client.limiter.learned.asked; got != want {
				t.Errorf("Retry-After %q: got %t", retryAfter, got)
			}
			client.limiter.mu.Unlock()
			group.Wait()
		})
	}
}

func TestConfiguredPace(t *testing.T) {
	t.Parallel()
	for perSecond, want := range map[float64]time.Duration{0: 0, 0.5: 2 * time.Second, 1: time.Second, 4: 250 * time.Millisecond} {
		if got := newLimiter(1, perSecond, time.Second).gap; got != want {
			t.Errorf("%f per second: got %s, want %s", perSecond, got, want)
		}
	}
}

// TestRefusals holds what a refusal is told about its circumstances, and what is
// inferred from it.
func TestRefusals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(16, 0, time.Second)
		send := func(operation string) *turn {
			sent := &turn{operation: operation}
			if _, err := l.admit(t.Context(), sent); err != nil {
				t.Fatal(err)
			}
			return sent
		}
		expect := func(name string, o outcome, want refusal) {
			t.Helper()
			if got := l.release(send("read agent"), o, false); got != want {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
		}
		const second = time.Second
		expect("the first", outcomeRefused, refusal{})
		time.Sleep(30 * second)
		expect("30 s later", outcomeRefused, refusal{quiet: 30 * second})
		time.Sleep(60 * second)
		expect("a minute later", outcomeRefused, refusal{quiet: 90 * second})
		time.Sleep(61 * second)
		expect("after more than a minute without any", outcomeRefused, refusal{})
		time.Sleep(10 * second)
		expect("then", outcomeRefused, refusal{quiet: 10 * second})
		l.release(send("read agent"), outcomePassed, false)
		time.Sleep(10 * second)
		expect("after a success", outcomeRefused, refusal{recent: true})
		time.Sleep(49 * second)
		expect("within a minute", outcomeRefused, refusal{recent: true, quiet: 49 * second})
		time.Sleep(second)
		expect("a minute after the success", outcomeRefused, refusal{quiet: 50 * second})

		l.giveUp(send("read agent"))
		expect("given up", outcomeRefused, refusal{quiet: 50 * second, hopeless: true})
		time.Sleep(59 * second)
		expect("given up 59 s ago", outcomeRefused, refusal{quiet: 109 * second, hopeless: true})
		time.Sleep(second)
		expect("given up a minute ago", outcomeRefused, refusal{quiet: 110 * second})
	})
}

// TestInferenceFromRefusals: one while others are in flight reduces their number,
// one while alone does not, and those of an operation that is given up say
// nothing about limits.
func TestInferenceFromRefusals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(16, 0, time.Second)
		send := func(n int) (turns []*turn) {
			for range n {
				turns = append(turns, &turn{operation: "read agent"})
				if _, err := l.admit(t.Context(), turns[len(turns)-1]); err != nil {
					t.Fatal(err)
				}
			}
			return turns
		}
		two := send(2)
		l.release(two[0], outcomeRefused, false)
		if l.learned.limit != 15 || l.learned.alone || two[0].refusals != 1 {
			t.Errorf("got %+v after a refusal of one of two", l.learned)
		}
		l.release(two[1], outcomeRefused, true)
		if l.learned.limit != 16 || !l.learned.alone || !l.learned.asked {
			t.Errorf("got %+v after a refusal of one alone", l.learned)
		}
		many := send(12)
		l.learned.limit = 3
		l.giveUp(many[0])
		if l.learned.limit != 16 {
			t.Errorf("got %+v after an operation was given up", l.learned)
		}
		for _, sent := range many {
			l.release(sent, outcomeRefused, false)
		}
		if l.learned.blocked() || l.learned.refusals != 0 || l.inFlight != 0 {
			t.Errorf("got %+v after refusals of an operation that is given up", l.learned)
		}
		l.release(send(1)[0], outcomePassed, false)
		for _, sent := range send(12) {
			l.release(sent, outcomeRefused, false)
		}
		if !l.learned.blocked() {
			t.Errorf("got %+v after 12 refusals", l.learned)
		}
	})
}

// TestLimitsGrowWhileOthersWait: a limit that was inferred grows with time alone,
// and whoever waits for it does not wait longer than that takes.
func TestLimitsGrowWhileOthersWait(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prepare     func(*learned)
		least, most time.Duration // when the second request arrives
	}{
		"number in flight": {func(l *learned) { l.limit, l.limitAt = 1, time.Now() }, 1500 * time.Millisecond, 2500 * time.Millisecond},
		"pace":             {func(l *learned) { l.setPace(time.Now(), 0.1, true) }, 8 * time.Second, 9 * time.Second},
	}
	for name, test := range tests {
		inBubble(t, func(http.ResponseWriter, *http.Request) { time.Sleep(20 * time.Second) }, func(t *testing.T, b *bubble) {
			client := b.client(Config{})
			test.prepare(&client.limiter.learned)
			together(2, 2, func(int) { _, _ = client.Agent(t.Context(), "agt_1") })
			if len(b.arrivals) != 2 || b.arrivals[1] < test.least || b.arrivals[1] > test.most {
				t.Errorf("%s: requests arrived after %v, want the second after %s to %s", name, b.arrivals, test.least, test.most)
			}
		})
	}
}

// TestSuccessWhileStopped: only that of a probe resumes sending, because others
// were sent before, and giving up an operation does so at once.
func TestSuccessWhileStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(16, 0, time.Second)
		l.learned.blockedAt, l.learned.heldUntil = time.Now(), time.Now().Add(900*time.Millisecond)
		l.inFlight = 1
		l.release(&turn{operation: "read agent"}, outcomePassed, false)
		if !l.learned.blocked() {
			t.Error("a success of a request sent before resumed sending")
		}
		begin := time.Now()
		time.AfterFunc(100*time.Millisecond, func() { l.giveUp(&turn{operation: "list agents", begin: begin}) })
		if _, err := l.admit(t.Context(), &turn{operation: "read agent"}); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited != 100*time.Millisecond {
			t.Errorf("waited %s, want 100ms", waited)
		}
	})
}
