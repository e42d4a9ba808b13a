// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"math"
	"testing"
	"time"
)

// learnedAt is the time of the tests of learned, whose clock is their own.
func learnedAt() time.Time { return time.Date(2026, time.March, 18, 9, 30, 0, 0, time.UTC) }

func after(seconds float64) time.Time {
	return learnedAt().Add(time.Duration(seconds * float64(time.Second)))
}

func expectNear(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > want/1000 {
		t.Errorf("%s: got %.4f, want %.4f", name, got, want)
	}
}

func TestGrowthOfTheNumberInFlight(t *testing.T) {
	t.Parallel()
	l := learned{most: 16, limit: 4, limitAt: learnedAt()}
	for seconds, want := range map[float64]int{0: 4, 1.4: 4, 1.5: 5, 2.9: 11, 3: 12, 3.5: 16, 60: 16} {
		if got := l.mostInFlight(after(seconds)); got != want {
			t.Errorf("after %.1f s: got %d, want %d", seconds, got, want)
		}
	}
}

func TestGrowthOfThePace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		confirmed bool
		seconds   float64
		successes int
		want      float64
	}{
		"measured, at first":                {false, 0, 0, 100},
		"measured, without a success":       {false, 10, 0, 100},
		"measured, doubles with a success":  {false, 10, 1, 200},
		"measured, at most 16 times in 1 s": {false, 1, 1000, 1600},
		"confirmed, at first":               {true, 0, 1000, 100},
		"confirmed, after 1 s":              {true, 1, 45, 110},
		"confirmed, after 2 s":              {true, 2, 90, 180},
		"confirmed, then faster":            {true, 3, 135, 1480},
		"confirmed, with few successes":     {true, 3, 45, 110},
		"confirmed, without a success":      {true, 7, 0, 110},
	}
	for name, test := range tests {
		l := learned{pace: 100, paceAt: learnedAt(), confirmed: test.confirmed, paced: test.successes}
		expectNear(t, name, l.perSecond(after(test.seconds)), test.want)
	}
}

func TestPaceIsBounded(t *testing.T) {
	t.Parallel()
	for pace, want := range map[float64]float64{0: 0.1, 0.09: 0.1, 0.2: 0.2, 99_000: 99_000, 101_000: 100_000, math.Inf(1): 100_000} {
		l := learned{leastPace: 5, paced: 3}
		l.setPace(learnedAt(), pace, true)
		if l.pace != want || l.paced != 0 || l.leastPace != 0 {
			t.Errorf("%f: got %+v", pace, l)
		}
	}
	if got := (&learned{}).interval(learnedAt()); got != 0 {
		t.Errorf("without a pace, the interval is %s", got)
	}
	if got := (&learned{pace: 4, paceAt: learnedAt()}).interval(learnedAt()); got != 250*time.Millisecond {
		t.Errorf("with 4 per second, the interval is %s", got)
	}
}

// TestMeasuredPace: what got through since the limit was last exhausted tells
// the pace, less a margin.
func TestMeasuredPace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		since     float64 // seconds between two exhaustions, and until the probe
		blocked   float64 // seconds
		successes int
		asked     bool
		want      float64
	}{
		"many":                            {10, 2, 100, false, 9.5},
		"few":                             {10, 2, 1, false, 0.5},
		"few, with Retry-After":           {10, 2, 1, true, 4},
		"many, with Retry-After":          {10, 2, 100, true, 9.5},
		"none, and stopped for very long": {100, 90, 0, false, 0.1},
	}
	for name, test := range tests {
		now := after(test.since)
		stopped := now.Add(-time.Duration(test.blocked * float64(time.Second)))
		l := learned{most: 16, limit: 1, markAt: learnedAt(), marked: test.successes, blockedAt: stopped, heldUntil: now, asked: test.asked}
		l.unblock(now)
		expectNear(t, name, l.pace, test.want)
		if l.confirmed || l.limit != 16 || l.blocked() || !l.heldUntil.IsZero() || !l.relapsing || l.marked != 1 || !l.markAt.Equal(stopped) {
			t.Errorf("%s: got %+v", name, l)
		}
	}
}

// TestSingleRefusal: it reduces a pace by 30 percent the first time, and by 15
// later, unless it was of an earlier pace.
func TestSingleRefusal(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		l         learned
		sent      float64
		want      float64
		leastPace float64
	}{
		"no pace":              {learned{}, 0, 0, 0},
		"measured":             {learned{pace: 100}, 0, 70, 0},
		"of an earlier pace":   {learned{pace: 100}, -1, 100, 0},
		"confirmed, too early": {learned{pace: 100, confirmed: true, paced: 7}, 0, 100, 0},
		"confirmed":            {learned{pace: 100, confirmed: true, paced: 8}, 0, 85, 5.6},
		"with many successes":  {learned{pace: 100, confirmed: true, paced: 130}, 0, 93.5, 77},
		"at the least":         {learned{pace: 100, confirmed: true, paced: 8, leastPace: 90}, 0, 90, 90},
		"below the least":      {learned{pace: 100, confirmed: true, paced: 8, leastPace: 120}, 0, 100, 120},
	}
	for name, test := range tests {
		l := test.l
		l.paceAt = learnedAt()
		// After a second with few successes, the pace has hardly grown.
		l.slowDown(after(1), &turn{sent: after(test.sent)})
		if math.Abs(l.pace-test.want) > 0.5 || math.Abs(l.leastPace-test.leastPace) > 0.1 {
			t.Errorf("%s: got %f with at least %f, want %f and %f", name, l.pace, l.leastPace, test.want, test.leastPace)
		}
	}
}

// TestJudgment: a pace is cut if too many requests are refused, and given up if
// the cut before did not help.
func TestJudgment(t *testing.T) {
	t.Parallel()
	now, past := after(1), learnedAt()
	type verdict struct {
		pace, cutShare float64
		fruitlessUntil time.Time
		open           bool // There is no judgment yet.
	}
	paced := func(through, refusals int, cutShare float64) learned {
		return learned{pace: 100, through: through, refusals: refusals, cutShare: cutShare}
	}
	with := func(l learned, change func(*learned)) learned { change(&l); return l }
	asked := func(l *learned) { l.asked = true }
	fruitless := func(l *learned) { l.fruitlessUntil = after(2) }
	tests := map[string]struct {
		l    learned
		want verdict
	}{
		"31 responses":                   {paced(24, 7, 0.3), verdict{100, 0.3, time.Time{}, true}},
		"32 responses, 7 refused":        {paced(25, 7, 0.3), verdict{100, 0, time.Time{}, false}},
		"32 responses, 8 refused":        {paced(24, 8, 0), verdict{71.25, 0.25, time.Time{}, false}},
		"more get through than expected": {paced(96, 32, 0), verdict{91.2, 0.25, time.Time{}, false}},
		"8 of 15 refused":                {paced(7, 8, 0), verdict{44.333, 0.5333, time.Time{}, false}},
		"8 of 16 refused":                {paced(8, 8, 0), verdict{100, 0, time.Time{}, true}},
		"7 of 13 refused":                {paced(6, 7, 0), verdict{100, 0, time.Time{}, true}},
		"all refused":                    {paced(0, 40, 0), verdict{100, 0, time.Time{}, true}},
		"stopped":                        {with(paced(24, 8, 0), func(l *learned) { l.blockedAt = past }), verdict{100, 0, time.Time{}, true}},
		"the cut did not help":           {paced(20, 12, 0.4), verdict{0, 0, after(31), false}},
		"the cut helped":                 {paced(20, 12, 0.7), verdict{59.375, 0.375, time.Time{}, false}},
		"it got worse":                   {paced(20, 12, 0.25), verdict{59.375, 0.375, time.Time{}, false}},
		"most refused despite the cut":   {paced(14, 18, 0.6), verdict{41.5625, 0.5625, time.Time{}, false}},
		"the service asks for a wait":    {with(paced(20, 12, 0.4), asked), verdict{59.375, 0.375, time.Time{}, false}},
		"fruitless before":               {with(paced(20, 12, 0.4), fruitless), verdict{100, 0.4, after(2), false}},
		"fruitless before, most refused": {with(paced(14, 18, 0), fruitless), verdict{41.5625, 0.5625, time.Time{}, false}},
		"fruitless long ago":             {with(paced(20, 12, 0), func(l *learned) { l.fruitlessUntil = past }), verdict{59.375, 0.375, time.Time{}, false}},
		"no pace":                        {learned{through: 16, refusals: 16, cutShare: 0.3}, verdict{0, 0, time.Time{}, false}},
		"no pace, refused while alone":   {learned{through: 16, refusals: 16, alone: true}, verdict{15.2, 0.5, time.Time{}, false}},
	}
	for name, test := range tests {
		l := test.l
		l.paceAt, l.confirmed, l.windowAt = now, true, past
		l.judge(now)
		if math.Abs(l.pace-test.want.pace) > 0.001 || math.Abs(l.cutShare-test.want.cutShare) > 0.001 ||
			!l.fruitlessUntil.Equal(test.want.fruitlessUntil) || l.windowAt.Equal(past) != test.want.open || (l.through+l.refusals > 0) != test.want.open {
			t.Errorf("%s: got %+v, want %+v", name, l, test.want)
		}
	}
}

// TestStop: 10 refusals in a row stop all requests, and 3 shortly after they
// were resumed. Each refused probe waits longer, up to a bound.
func TestStop(t *testing.T) {
	t.Parallel()
	refuse := func(l *learned, times int, t *turn) {
		for range times {
			l.refused(learnedAt(), t, false, false)
		}
	}
	for name, test := range map[string]struct {
		relapsing bool
		marked    int
		stopsAt   int
	}{"at first": {false, 0, 10}, "after a resumption": {true, 7, 3}, "long after a resumption": {true, 8, 10}} {
		l := newLearned(16, 500*time.Millisecond)
		l.relapsing, l.marked = test.relapsing, test.marked
		refuse(&l, test.stopsAt-1, &turn{})
		if l.blocked() {
			t.Errorf("%s: stopped before refusal %d", name, test.stopsAt)
		}
		refuse(&l, 1, &turn{})
		if !l.blocked() || l.hold != 10*time.Millisecond || l.limit != 1 || !l.limitAt.Equal(learnedAt()) {
			t.Errorf("%s: got %+v after %d refusals", name, l, test.stopsAt)
		}
		refuse(&l, 1, &turn{})
		if l.hold != 10*time.Millisecond {
			t.Errorf("%s: a refusal that is no probe's changed the wait to %s", name, l.hold)
		}
		refuse(&l, 1, &turn{probe: true})
		if l.hold != 15*time.Millisecond {
			t.Errorf("%s: a refused probe changed the wait to %s", name, l.hold)
		}
		refuse(&l, 200, &turn{probe: true})
		if wait := l.heldUntil.Sub(learnedAt()); l.hold != patience || wait < patience/2 || wait >= patience*3/2 {
			t.Errorf("%s: 200 refused probes changed the wait to %s of %s", name, wait, l.hold)
		}
	}
	l := newLearned(16, time.Second)
	for range 3 {
		refuse(&l, 9, &turn{})
		l.passed(learnedAt(), &turn{})
	}
	if l.blocked() {
		t.Error("refusals with successes in between stopped all requests")
	}
	if l := newLearned(16, 1); l.firstHold <= 0 {
		t.Errorf("the first wait is %s", l.firstHold)
	}
}

// TestForget keeps what is not inferred, and begins a new measurement.
func TestForget(t *testing.T) {
	t.Parallel()
	l := learned{
		most: 16, firstHold: 7, probing: true, limit: 2, pace: 5, cutShare: 0.3, streak: 9, blockedAt: learnedAt(), heldUntil: after(9), relapsing: true, marked: 3,
	}
	l.forget(after(1))
	want := learned{most: 16, firstHold: 7, probing: true, limit: 16, markAt: after(1), windowAt: after(1)}
	if l != want {
		t.Errorf("got %+v, want %+v", l, want)
	}
}

// TestRefusalAmongOthers reduces the number in flight to 1 at least, as long as
// there is no pace, and is judged at once.
func TestRefusalAmongOthers(t *testing.T) {
	t.Parallel()
	for limit, want := range map[float64]float64{16: 15, 2.5: 1, 1.5: 1, 1: 1} {
		l := learned{most: 16, limit: limit, limitAt: learnedAt()}
		l.refused(learnedAt(), &turn{}, false, false)
		if l.limit != want {
			t.Errorf("%.1f in flight: got %.1f after a refusal, want %.1f", limit, l.limit, want)
		}
	}
	l := learned{most: 16, limit: 16, pace: 100, confirmed: true, paceAt: after(1), windowAt: learnedAt(), through: 7, refusals: 7}
	l.refused(after(1), &turn{}, false, false)
	expectNear(t, "8 of 15 refused", l.pace, 44.333)
	if l.limit != 16 {
		t.Errorf("with a pace, %.1f are in flight after a refusal, want 16", l.limit)
	}
}
