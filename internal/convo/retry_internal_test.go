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

// next is what a policy does after a number of equal failures.
func next(p retryPolicy, method string, failures int, err error, r refusal) (wait time.Duration, again bool) {
	var t tries
	for range failures {
		wait, again = p.next(method, &t, err, r)
	}
	return wait, again
}

// TestNextHonorsRetryAfter holds that what the service asks for is the least,
// with up to a tenth more, and never over a minute.
func TestNextHonorsRetryAfter(t *testing.T) {
	t.Parallel()
	policy := retryPolicy{max: 4, wait: time.Millisecond}
	tests := map[time.Duration]struct{ least, most time.Duration }{
		time.Second:          {time.Second, 1100 * time.Millisecond},
		30 * time.Second:     {30 * time.Second, 33 * time.Second},
		59 * time.Second:     {59 * time.Second, time.Minute},
		60 * time.Second:     {time.Minute, time.Minute},
		61 * time.Second:     {time.Minute, time.Minute},
		365 * 24 * time.Hour: {time.Minute, time.Minute},
	}
	for _, status := range []int{429, 500, 502, 503, 504} {
		for after, want := range tests {
			var longest time.Duration
			for range 200 {
				got, again := next(policy, "GET", 1, &ResponseError{Status: status, retryAfter: after}, refusal{})
				if got < want.least || got > want.most || !again {
					t.Fatalf("%d with Retry-After %s: got %s, %t; want %s to %s", status, after, got, again, want.least, want.most)
				}
				longest = max(longest, got)
			}
			// The longest of 200 is in the lower half once in 10^60.
			if longest < (want.least+want.most)/2 {
				t.Errorf("%d with Retry-After %s: no jitter, at most %s", status, after, longest)
			}
		}
	}
	if _, again := next(policy, "GET", 1, &ResponseError{Status: 404, retryAfter: time.Second}, refusal{}); again {
		t.Error("a 404 with Retry-After is retried")
	}
}

// TestJitter holds that waits use their whole range and never leave it.
func TestJitter(t *testing.T) {
	t.Parallel()
	policy := retryPolicy{max: 200, wait: 500 * time.Millisecond}
	const second = time.Second
	quiet, busy := refusal{}, refusal{recent: true}
	tests := []struct {
		status, failures int
		r                refusal
		bound            time.Duration
	}{
		{503, 1, quiet, second / 2}, {503, 2, quiet, second}, {503, 3, quiet, 2 * second}, {503, 4, quiet, 4 * second},
		{503, 5, quiet, 8 * second}, {503, 6, quiet, 16 * second}, {503, 7, quiet, 30 * second},
		{503, 17, quiet, 30 * second}, {503, 64, quiet, 30 * second}, {503, 200, quiet, 30 * second},
		{429, 1, quiet, second / 2}, {429, 2, quiet, second}, {429, 7, quiet, 30 * second},
		// While others get through, a refused request waits for less.
		{429, 1, busy, second / 16}, {429, 2, busy, second / 8}, {429, 5, busy, second}, {429, 6, busy, 2 * second},
		{429, 7, busy, 2 * second}, {429, 20, busy, 2 * second}, {503, 1, busy, second / 2},
	}
	for _, test := range tests {
		var low, high int
		var longest time.Duration
		for range 2000 {
			wait, again := next(policy, "GET", test.failures, &ResponseError{Status: test.status}, test.r)
			if !again || wait < 0 || wait > test.bound {
				t.Fatalf("%+v: got %s, %t", test, wait, again)
			}
			longest = max(longest, wait)
			if wait < test.bound/10 {
				low++
			}
			if wait > test.bound-test.bound/10 {
				high++
			}
		}
		// The longest is not among the highest hundredth once in 10^8.
		if longest < test.bound-test.bound/100 {
			t.Errorf("%+v: of 2000 waits, the longest is %s", test, longest)
		}
		// 200 of each are expected; 80 are eight standard deviations fewer.
		if low < 80 || high < 80 {
			t.Errorf("%+v: of 2000 waits, %d are in the lowest tenth and %d in the highest", test, low, high)
		}
	}
}

func TestNextCountsRetries(t *testing.T) {
	t.Parallel()
	refused := &ResponseError{Status: 429}
	slow := &ResponseError{Status: 429, retryAfter: time.Minute}
	unavailable := &ResponseError{Status: 503}
	tests := map[string]struct {
		max, failures int
		err           error
		r             refusal
		want          bool
	}{
		"no retries":                 {0, 1, refused, refusal{}, false},
		"no retries, others pass":    {0, 1, refused, refusal{recent: true}, false},
		"fewer than none":            {-1, 1, refused, refusal{}, false},
		"one":                        {1, 1, refused, refusal{}, true},
		"one too many":               {1, 2, refused, refusal{}, false},
		"all":                        {4, 4, refused, refusal{}, true},
		"one more than all":          {4, 5, refused, refusal{}, false},
		"others pass":                {4, 20, refused, refusal{recent: true}, true},
		"others pass for too long":   {4, 21, refused, refusal{recent: true}, false},
		"many retries, others pass":  {30, 30, refused, refusal{recent: true}, true},
		"others pass, no refusal":    {4, 5, unavailable, refusal{recent: true}, false},
		"given up":                   {4, 1, refused, refusal{recent: true, hopeless: true}, false},
		"given up, no refusal":       {4, 1, unavailable, refusal{hopeless: true}, true},
		"quiet":                      {4, 1, refused, refusal{quiet: 99 * time.Second}, true},
		"quiet for too long":         {4, 1, refused, refusal{quiet: 101 * time.Second}, false},
		"quiet after the wait":       {4, 1, slow, refusal{quiet: 40 * time.Second}, true},
		"quiet too long by the wait": {4, 1, slow, refusal{quiet: 41 * time.Second}, false},
		"quiet, but others pass":     {4, 1, refused, refusal{recent: true, quiet: 101 * time.Second}, true},
		"quiet for long, no refusal": {4, 1, unavailable, refusal{quiet: 101 * time.Second}, true},
	}
	for name, test := range tests {
		method := "POST"
		if errors.Is(test.err, unavailable) {
			method = "GET"
		}
		if _, got := next(retryPolicy{max: test.max, wait: time.Nanosecond}, method, test.failures, test.err, test.r); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want outcome
	}{
		"success":        {nil, outcomePassed},
		"404":            {&ResponseError{Status: 404}, outcomePassed},
		"499":            {&ResponseError{Status: 499}, outcomePassed},
		"429":            {&ResponseError{Status: 429}, outcomeRefused},
		"429 with wait":  {&ResponseError{Status: 429, retryAfter: 1}, outcomeRefused},
		"503":            {&ResponseError{Status: 503}, outcomeUnknown},
		"503 with wait":  {&ResponseError{Status: 503, retryAfter: 1}, outcomeRefused},
		"500 with wait":  {&ResponseError{Status: 500, retryAfter: 1}, outcomeUnknown},
		"no response":    {&TransportError{Err: errors.New("reset")}, outcomeUnknown},
		"something else": {errors.New("?"), outcomeUnknown},
		"wrapped":        {fmt.Errorf("wrapped: %w", &ResponseError{Status: 429}), outcomeRefused},
	}
	for name, test := range tests {
		if got := outcomeOf(test.err); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}

func TestRepeatableWithoutResponse(t *testing.T) {
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
		"canceled":           {context.Canceled, ReasonCanceled, false},
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
		err.NotSent = true
		if got := repeatable("POST", err); got != test.want {
			t.Errorf("%s: a POST that was not sent: got %t, want %t", name, got, test.want)
		}
	}
}
