// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"math"
	"math/rand/v2"
	"time"
)

const (
	// saturation is the number of consecutive refusals that indicate an exhausted
	// limit. Random refusals rarely cause so many.
	saturation = 10
	// relapse is the number that suffices shortly after sending was resumed.
	relapse = 3
	// verdicts is the number of responses for which the share of refusals is
	// computed, and tolerable the share that the growth of a correct pace can
	// cause.
	verdicts  = 32
	tolerable = 0.25
	// margin keeps a measured pace below the limit.
	margin = 0.95
	// minPace and maxPace limit the measured pace, in requests per second.
	minPace, maxPace = 0.1, 1e5
	// pointless is the time until slowing down is tried again after it did not
	// reduce refusals.
	pointless = 30 * time.Second
)

// learned holds the service's limits, as inferred from refused requests. A
// refusal does not show the kind of limit, so each explanation is tested:
//
//   - Too many requests in flight: each refusal reduces their number by one,
//     and time without refusals increases it at a growing rate. If a request is
//     refused while it is the only one, this is not the reason.
//   - An exhausted bucket or window: many consecutive refusals stop all
//     requests except one probe at a time, each after a longer wait. The number
//     of requests that succeeded between two such events, divided by the time
//     between them, is the pace that the limit allows. It is measured instead
//     of halved, because halving from 5,000 requests per second to 10 would
//     take a dozen bursts of refusals.
//   - Neither: if a slower pace does not reduce refusals, the service refuses
//     at random, and the pace remains unchanged.
//
// A pace grows slowly at first and then faster (the cubic growth of TCP CUBIC
// and the AWS SDKs' adaptive mode). The client therefore recovers within
// seconds from a limit that was lifted, and a limit that persists refuses about
// one in forty requests. Only requests sent after the last cut can cause the
// next one, because all refusals of requests in flight at that time are one
// event.
type learned struct {
	most      int
	firstHold time.Duration

	limit   float64 // in flight, at limitAt
	limitAt time.Time

	pace           float64 // per second, at paceAt; 0 for none
	paceAt         time.Time
	paced          int     // successes since
	confirmed      bool    // a refusal has shown that the limit is near
	leastPace      float64 // single refusals do not reduce a confirmed pace below it
	fruitlessUntil time.Time

	streak    int       // consecutive refusals
	blockedAt time.Time // zero unless all requests are stopped
	hold      time.Duration
	heldUntil time.Time
	probing   bool // one probe is in flight
	relapsing bool // sending was resumed recently
	markAt    time.Time
	marked    int // successes since

	// The responses since the last judgment.
	windowAt          time.Time
	through, refusals int
	alone, asked      bool    // one was refused while alone; with Retry-After
	cutShare          float64 // share of refusals before the last cut
}

func newLearned(most int, wait time.Duration) learned {
	return learned{most: most, limit: float64(most), firstHold: max(wait/50, 1)}
}

// resume begins a new measurement after a time without requests.
func (l *learned) resume(now time.Time) {
	l.markAt, l.marked, l.relapsing = now, 0, false
	l.startWindow(now)
}

func (l *learned) blocked() bool { return !l.blockedAt.IsZero() }

// grows reports whether time alone increases the number of requests in flight.
func (l *learned) grows() bool { return l.limit < float64(l.most) }

// mostInFlight exceeds its value after the last refusal by 1 after 1.5 s, and
// by 8 after 3 s.
func (l *learned) mostInFlight(now time.Time) int {
	x := now.Sub(l.limitAt).Seconds() / 1.5
	return int(min(float64(l.most), l.limit+x*x*x))
}

// perSecond returns the current pace, or 0 for none.
func (l *learned) perSecond(now time.Time) float64 {
	t, n := now.Sub(l.paceAt).Seconds(), float64(l.paced)
	if !l.confirmed {
		return l.pace * math.Pow(2, min(4*t, n))
	}
	// A pace with few refusals grows quickly, and every pace grows eventually.
	x := max(min(t, n/45), t/7)
	return l.pace * (1 + x*x*x/10) * math.Pow(4, max(0, x-2))
}

// interval returns the time between two requests.
func (l *learned) interval(now time.Time) time.Duration {
	if l.pace == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / l.perSecond(now))
}

func (l *learned) setPace(now time.Time, pace float64, confirmed bool) {
	// Two simultaneous events do not yield a measurement.
	l.pace, l.confirmed, l.leastPace = max(minPace, min(pace, maxPace)), confirmed, 0
	l.paceAt, l.paced = now, 0
}

// passed records a request that the service accepted.
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

// refused records a refused request. alone reports that no other request was in
// flight, and asked that the response had a Retry-After header.
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
		l.holdFor(now, min(l.hold*3/2, patience))
	case l.blocked():
	case l.streak >= saturation, l.relapsing && l.marked < 8 && l.streak >= relapse:
		l.limit, l.limitAt = 1, now
		l.blockedAt = now
		l.holdFor(now, l.firstHold)
	}
}

// slowDown reduces the pace after a single refusal.
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

// unblock resumes sending at the pace measured since the limit was last
// exhausted, or at the pace of a single probe if that is higher. The first
// measurement is too high, because it began with a full bucket.
func (l *learned) unblock(now time.Time) {
	pace := max(margin*float64(l.marked)/now.Sub(l.markAt).Seconds(), 1/now.Sub(l.blockedAt).Seconds())
	if l.asked {
		// Retry-After is in whole seconds, but most limits recover sooner.
		pace = max(pace, 4)
	}
	l.setPace(now, pace, false)
	l.limit = float64(l.most)
	l.startWindow(now)
	l.markAt, l.marked = l.blockedAt, 1
	l.blockedAt, l.heldUntil = time.Time{}, time.Time{}
	l.relapsing = true
}

// holdFor stops all requests for a random time around the given one, so that
// clients that share a limit do not resume at the same time.
func (l *learned) holdFor(now time.Time, hold time.Duration) {
	l.hold = hold
	l.heldUntil = now.Add(hold/2 + rand.N(hold)) //nolint:gosec // A wait is not a secret.
}

// forget discards all inferences, because they include refusals that were not
// caused by a limit.
func (l *learned) forget(now time.Time) {
	probing := l.probing
	*l = learned{most: l.most, limit: float64(l.most), firstHold: l.firstHold, probing: probing}
	l.resume(now)
}
