// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"math"
	"math/rand/v2"
	"time"
)

const (
	// saturation is how many refusals in a row show that a limit is exhausted:
	// refusals at random hardly ever come so many at once.
	saturation = 10
	// relapse is how many do right after requests were let through again.
	relapse = 3
	// verdicts is over how many responses the share of refusals is judged, and
	// tolerable the share that a correct pace can have by its own growth.
	verdicts  = 32
	tolerable = 0.25
	// margin keeps a measured pace below the limit.
	margin = 0.95
	// minPace and maxPace bound what is believed, in requests per second.
	minPace, maxPace = 0.1, 1e5
	// pointless is how long slowing down is not tried again after it did not
	// lead to fewer refusals.
	pointless = 30 * time.Second
)

// learned is what the client has learned of the service's limits from which of
// its requests were refused. Every kind of limit looks the same from outside,
// so each explanation is tried in turn:
//
//   - Too many in flight: each refusal takes one off the requests in flight,
//     and time without a refusal adds more and more of them. A request that is
//     refused while it is alone shows that this is not the reason.
//   - Nothing left of a bucket or window: many refusals in a row hold
//     everything back but one probe at a time, each after a longer wait. What
//     got through between two such moments, by the time between them, is the
//     pace that the limit allows. It is measured, not found by halving: from
//     5,000 requests per second to 10 would take a dozen bursts of refusals.
//   - Neither: if a slower pace does not lead to fewer refusals, the service
//     refuses at random, and it is left alone.
//
// A pace grows slowly at first and then faster (the cubic growth of TCP CUBIC
// and the AWS SDKs' adaptive mode), so that a limit that was lifted is left
// behind within seconds, and a limit that is still there costs one refusal in
// some forty requests. Only requests that were sent after the last cut can
// cause the next one: what was in flight then is one event.
type learned struct {
	most      int
	firstHold time.Duration

	limit   float64 // in flight, when limitAt was
	limitAt time.Time

	pace           float64 // per second, when paceAt was; 0 for none
	paceAt         time.Time
	paced          int     // got through since
	confirmed      bool    // a refusal has shown that the limit is near
	leastPace      float64 // below which single refusals don't push a confirmed pace
	fruitlessUntil time.Time

	streak    int       // refusals in a row
	blockedAt time.Time // zero unless everything is held back
	hold      time.Duration
	heldUntil time.Time
	probing   bool // one probe is in flight
	relapsing bool // requests were let through again, not long ago
	markAt    time.Time
	marked    int // got through since

	// The last responses that are judged together.
	windowAt          time.Time
	through, refusals int
	alone, asked      bool    // one was refused alone; with a time to wait
	cutShare          float64 // the share of refusals that the last pace was to change
}

func newLearned(most int, wait time.Duration) learned {
	return learned{most: most, limit: float64(most), firstHold: max(wait/50, 1)}
}

// resume begins a new measurement, because nothing was sent for a while.
func (l *learned) resume(now time.Time) {
	l.markAt, l.marked, l.relapsing = now, 0, false
	l.startWindow(now)
}

func (l *learned) blocked() bool { return !l.blockedAt.IsZero() }

// grows says whether more requests may be in flight after some time alone.
func (l *learned) grows() bool { return l.limit < float64(l.most) }

// mostInFlight is one more than after the last refusal after 1.5 s, 8 more
// after 3 s.
func (l *learned) mostInFlight(now time.Time) int {
	x := now.Sub(l.limitAt).Seconds() / 1.5
	return int(min(float64(l.most), l.limit+x*x*x))
}

// perSecond is the pace now, 0 for none.
func (l *learned) perSecond(now time.Time) float64 {
	t, n := now.Sub(l.paceAt).Seconds(), float64(l.paced)
	if !l.confirmed {
		return l.pace * math.Pow(2, min(4*t, n))
	}
	// As fast as refusals stay rare, whatever the pace, but not forever slow.
	x := max(min(t, n/45), t/7)
	return l.pace * (1 + x*x*x/10) * math.Pow(4, max(0, x-2))
}

// interval is the time from one request to the next.
func (l *learned) interval(now time.Time) time.Duration {
	if l.pace == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / l.perSecond(now))
}

func (l *learned) setPace(now time.Time, pace float64, confirmed bool) {
	// Two events in one instant measure nothing.
	l.pace, l.confirmed, l.leastPace = max(minPace, min(pace, maxPace)), confirmed, 0
	l.paceAt, l.paced = now, 0
}

// passed notes a request that got through.
func (l *learned) passed(now time.Time, t *turn) {
	l.paced++
	l.marked++
	l.streak = 0
	l.through++
	l.judge(now)
	if l.blocked() && t.probe {
		l.unblock(now)
	}
}

// refused notes a request that met a limit. Alone says that no other was in
// flight; asked, that the service named a time to wait.
func (l *learned) refused(now time.Time, t *turn, alone, asked bool) {
	l.streak++
	l.refusals++
	l.asked = l.asked || asked
	switch {
	case l.blocked():
	case alone:
		l.limit, l.alone = float64(l.most), true
	case l.pace == 0:
		l.limit = max(1, float64(l.mostInFlight(now))-1)
		l.limitAt = now
	}
	l.slowDown(now, t)
	l.judge(now)
	switch {
	case l.blocked() && t.probe:
		l.holdFor(now, l.hold*3/2)
	case l.blocked():
	case l.streak >= saturation, l.relapsing && l.marked < 8 && l.streak >= relapse:
		l.limit, l.limitAt = 1, now
		l.blockedAt = now
		l.holdFor(now, l.firstHold)
	}
}

// slowDown cuts the pace after a single refusal.
func (l *learned) slowDown(now time.Time, t *turn) {
	pace := l.perSecond(now)
	switch {
	case l.pace == 0 || t.sent.Before(l.paceAt):
	case !l.confirmed:
		l.setPace(now, 0.7*pace, true)
	case l.paced >= 8:
		least := l.leastPace
		if least == 0 {
			least = 0.7 * min(pace, float64(l.paced)/now.Sub(l.paceAt).Seconds())
		}
		l.setPace(now, max(0.85*pace, min(pace, least)), true)
		l.leastPace = least
	}
}

// judge compares the share of refusals before and after a cut of the pace.
func (l *learned) judge(now time.Time) {
	all := l.through + l.refusals
	tooFast := l.pace > 0 && l.refusals >= 8 && l.refusals > l.through
	if l.blocked() || l.through == 0 || all < verdicts && !tooFast {
		return
	}
	share := float64(l.refusals) / float64(all)
	change := share / l.cutShare // meaningless without a cut
	switch {
	case now.Before(l.fruitlessUntil) && share < 0.55:
	case share < tolerable || l.pace == 0 && !l.alone:
		l.cutShare = 0
	case l.cutShare > 0 && change > 0.6 && change < 1.5 && share < 0.55 && !l.asked:
		l.pace, l.cutShare = 0, 0
		l.fruitlessUntil = now.Add(pointless)
	default:
		l.cutShare = share
		l.fruitlessUntil = time.Time{}
		through := float64(l.through) / now.Sub(l.windowAt).Seconds()
		l.setPace(now, margin*max(through, l.perSecond(now)*(1-share)), true)
	}
	l.startWindow(now)
}

func (l *learned) startWindow(now time.Time) {
	l.windowAt, l.through, l.refusals, l.alone, l.asked = now, 0, 0, false, false
}

// unblock lets requests through again at the pace that was measured since the
// last time that nothing was left. The first time, that is too much, because it
// began with a full bucket, or a little less than what one probe shows.
func (l *learned) unblock(now time.Time) {
	pace := max(margin*float64(l.marked)/now.Sub(l.markAt).Seconds(), 1/now.Sub(l.blockedAt).Seconds())
	if l.asked {
		// Retry-After counts whole seconds, and most limits are faster.
		pace = max(pace, 4)
	}
	l.setPace(now, pace, false)
	l.limit = float64(l.most)
	l.startWindow(now)
	l.markAt, l.marked = l.blockedAt, 1
	l.blockedAt, l.heldUntil = time.Time{}, time.Time{}
	l.relapsing = true
}

// holdFor holds everything back for the given time, more or less: clients that
// share a limit must not come back together.
func (l *learned) holdFor(now time.Time, hold time.Duration) {
	l.hold = hold
	l.heldUntil = now.Add(hold/2 + rand.N(hold)) //nolint:gosec // A wait is no secret.
}

// forget drops all that was learned, because refusals that were for good are
// part of it.
func (l *learned) forget(now time.Time) {
	probing := l.probing
	*l = learned{most: l.most, limit: float64(l.most), firstHold: l.firstHold, probing: probing}
	l.resume(now)
}
