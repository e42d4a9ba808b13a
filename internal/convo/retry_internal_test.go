// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 18, 9, 30, 0, 0, time.UTC)
	tests := map[string]time.Duration{
		"":                                  0,
		"0":                                 0,
		"1":                                 time.Second,
		"120":                               2 * time.Minute,
		"007":                               7 * time.Second,
		"4294967295":                        4294967295 * time.Second,
		"4294967296":                        4294967295 * time.Second,
		"99999999999999999999999999":        4294967295 * time.Second,
		"-1":                                0,
		"+1":                                0,
		"1.5":                               0,
		"1s":                                0,
		"soon":                              0,
		"1, 2":                              0,
		"٣":                                 0,
		"Wed, 18 Mar 2026 09:30:45 GMT":     45 * time.Second,
		"Wednesday, 18-Mar-26 09:31:00 GMT": time.Minute,
		"Wed Mar 18 10:30:00 2026":          time.Hour,
		"Wed, 18 Mar 2026 09:30:00 GMT":     0,
		"Wed, 18 Mar 2026 09:29:59 GMT":     0,
		"Thu, 01 Jan 1970 00:00:00 GMT":     0,
		"Wed, 18 Mar 2026 09:30:45":         0,
		"2026-03-18T09:30:45Z":              0,
	}
	for header, want := range tests {
		if got := parseRetryAfter(header, now); got != want {
			t.Errorf("%q: got %s, want %s", header, got, want)
		}
	}
}

func TestNextHonoursRetryAfter(t *testing.T) {
	t.Parallel()
	policy := retryPolicy{max: 4, wait: time.Millisecond}
	tests := map[time.Duration]time.Duration{
		time.Second:          time.Second,
		59 * time.Second:     59 * time.Second,
		60 * time.Second:     60 * time.Second,
		61 * time.Second:     60 * time.Second,
		365 * 24 * time.Hour: 60 * time.Second,
	}
	for _, status := range []int{429, 500, 502, 503, 504} {
		for after, want := range tests {
			got, again := policy.next("GET", 1, &ResponseError{Status: status, retryAfter: after})
			if got != want || !again {
				t.Errorf("%d with Retry-After %s: got %s, %t; want %s", status, after, got, again, want)
			}
		}
	}
	if _, again := policy.next("GET", 1, &ResponseError{Status: 404, retryAfter: time.Second}); again {
		t.Error("a 404 with Retry-After is repeated")
	}
}

// TestJitter holds that waits use their whole range and never leave it.
func TestJitter(t *testing.T) {
	t.Parallel()
	policy := retryPolicy{max: 200, wait: 500 * time.Millisecond}
	bounds := map[int]time.Duration{
		1: 500 * time.Millisecond, 2: time.Second, 3: 2 * time.Second, 4: 4 * time.Second, 5: 8 * time.Second,
		6: 16 * time.Second, 7: 30 * time.Second, 16: 30 * time.Second, 17: 30 * time.Second, 63: 30 * time.Second,
		64: 30 * time.Second, 200: 30 * time.Second,
	}
	for attempt, bound := range bounds {
		var low, high int
		for range 2000 {
			wait, again := policy.next("GET", attempt, &ResponseError{Status: 503})
			if !again || wait < 0 || wait > bound {
				t.Fatalf("attempt %d: got %s, %t; want at most %s", attempt, wait, again, bound)
			}
			if wait < bound/10 {
				low++
			}
			if wait > bound-bound/10 {
				high++
			}
		}
		// 200 of each are expected; 80 are eight standard deviations fewer.
		if low < 80 || high < 80 {
			t.Errorf("attempt %d: of 2000 waits, %d are in the lowest tenth and %d in the highest", attempt, low, high)
		}
	}
}

func TestNextCountsAttempts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		max, attempt int
		want         bool
	}{
		{0, 1, false}, {-1, 1, false}, {1, 1, true}, {1, 2, false}, {4, 4, true}, {4, 5, false},
	}
	for _, test := range tests {
		policy := retryPolicy{max: test.max, wait: time.Second}
		if _, got := policy.next("POST", test.attempt, &ResponseError{Status: 429}); got != test.want {
			t.Errorf("attempt %d with max %d: got %t", test.attempt, test.max, got)
		}
	}
}

func TestRepeatableWithoutAnswer(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err    error
		reason Reason
		want   bool
	}{
		"anything":           {errors.New("connection reset by peer"), ReasonConnection, true},
		"end of one attempt": {&timeoutError{time.Second}, ReasonTimeout, true},
		"a slow dial":        {&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, ReasonTimeout, true},
		"a slow name server": {&net.DNSError{IsTimeout: true}, ReasonTimeout, true},
		"a sick name server": {&net.DNSError{IsTemporary: true}, ReasonConnection, true},
		"unknown host":       {&net.DNSError{IsNotFound: true}, ReasonHostNotFound, false},
		"cancelled":          {context.Canceled, ReasonCancelled, false},
		"certificate":        {&tls.CertificateVerificationError{Err: errors.New("expired")}, ReasonCertificate, false},
		"TLS alert":          {&net.OpError{Op: "remote error", Err: errors.New("bad certificate")}, ReasonHandshake, false},
		"not TLS":            {tls.RecordHeaderError{Msg: "no TLS"}, ReasonNotTLS, false},
		"HTTP for HTTPS":     {http.ErrSchemeMismatch, ReasonNotTLS, false},
		"redirect":           {&redirectError{}, ReasonRedirect, false},
		"too large":          {&tooLargeError{}, ReasonTooLarge, false},
	}
	for name, test := range tests {
		reason := reasonFor(fmt.Errorf("wrapped: %w", test.err))
		if reason != test.reason {
			t.Errorf("%s: got reason %d, want %d", name, reason, test.reason)
		}
		err := &TransportError{Operation: "read agent", Reason: test.reason, Err: test.err}
		if got := repeatable("GET", err); got != test.want {
			t.Errorf("%s: GET: got %t, want %t", name, got, test.want)
		}
		if repeatable("POST", err) {
			t.Errorf("%s: a POST is repeated", name)
		}
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	// expect waits at the gate and compares how long that takes.
	expect := func(t *testing.T, ctx context.Context, g *gate, want time.Duration, wantErr error) {
		t.Helper()
		begin := time.Now()
		err := g.wait(ctx)
		if waited := time.Since(begin); waited != want || !errors.Is(err, wantErr) {
			t.Errorf("waited %s, %v; want %s, %v", waited, err, want, wantErr)
		}
	}
	tests := map[string]func(*testing.T, *gate){
		"open at first": func(t *testing.T, g *gate) { expect(t, t.Context(), g, 0, nil) },
		"held, then open": func(t *testing.T, g *gate) {
			g.hold(time.Minute)
			expect(t, t.Context(), g, time.Minute, nil)
			expect(t, t.Context(), g, 0, nil)
		},
		"a shorter hold does not shorten": func(t *testing.T, g *gate) {
			g.hold(time.Minute)
			g.hold(time.Second)
			expect(t, t.Context(), g, time.Minute, nil)
		},
		"a longer hold lengthens": func(t *testing.T, g *gate) {
			g.hold(time.Second)
			g.hold(time.Minute)
			expect(t, t.Context(), g, time.Minute, nil)
		},
		"a hold reaches those who wait already": func(t *testing.T, g *gate) {
			g.hold(time.Minute)
			time.AfterFunc(50*time.Second, func() { g.hold(time.Minute) })
			expect(t, t.Context(), g, 110*time.Second, nil)
		},
		"cancelled": func(t *testing.T, g *gate) {
			g.hold(time.Minute)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(7*time.Second, cancel)
			expect(t, ctx, g, 7*time.Second, context.Canceled)
		},
		"deadline": func(t *testing.T, g *gate) {
			g.hold(time.Minute)
			ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
			defer cancel()
			expect(t, ctx, g, 9*time.Second, context.DeadlineExceeded)
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, &gate{}) })
		})
	}
}
