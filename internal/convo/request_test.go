// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	client, err := New(Config{BaseURL: "https://agents.example", Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	got := client.config
	if got.RequestTimeout != 30*time.Second || *got.MaxRetries != 4 || got.MaxConcurrentRequests != 16 || got.RetryWait != 500*time.Millisecond ||
		got.StatsPeriodParameter != "timeFilter" {
		t.Errorf("got %+v", got)
	}
}

// TestOutcomes holds what each response shows about the service's limits.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for _, test := range []struct {
		err       error
		want      pacing.Outcome
		get, post bool // whether it is retryable
	}{
		{nil, pacing.Admitted, false, false},
		{&ResponseError{Status: 200}, pacing.Admitted, false, false},
		{&ResponseError{Status: 302, RetryAfter: second}, pacing.Admitted, false, false},
		{&ResponseError{Status: 400}, pacing.Admitted, false, false},
		{&ResponseError{Status: 401, RetryAfter: second}, pacing.Throttled, true, true},
		{&ResponseError{Status: 403}, pacing.Admitted, false, false},
		{&ResponseError{Status: 403, RetryAfter: second}, pacing.Throttled, true, true},
		{&ResponseError{Status: 403, RetryAfter: 60 * second}, pacing.Throttled, true, true},
		{&ResponseError{Status: 403, RetryAfter: 61 * second}, pacing.Admitted, false, false},
		{&ResponseError{Status: 404}, pacing.Admitted, false, false},
		{&ResponseError{Status: 408}, pacing.Admitted, true, false},
		{&ResponseError{Status: 408, RetryAfter: second}, pacing.Admitted, true, false},
		{&ResponseError{Status: 425, RetryAfter: second}, pacing.Admitted, true, false},
		{&ResponseError{Status: 429}, pacing.Throttled, true, true},
		{&ResponseError{Status: 429, RetryAfter: 61 * second}, pacing.Throttled, true, true},
		{&ResponseError{Status: 499, RetryAfter: second}, pacing.Throttled, true, true},
		{&ResponseError{Status: 500}, pacing.Failed, true, false},
		{&ResponseError{Status: 500, RetryAfter: second}, pacing.Failed, true, false},
		{&ResponseError{Status: 501}, pacing.Failed, true, false},
		{&ResponseError{Status: 502}, pacing.Unavailable, true, false},
		{&ResponseError{Status: 503}, pacing.Unavailable, true, false},
		{&ResponseError{Status: 504}, pacing.Unavailable, true, false},
		{&ResponseError{Status: 505}, pacing.Failed, true, false},
		{&ResponseError{Status: 503, RetryAfter: second}, pacing.Throttled, true, false},
		{&TransportError{Reason: ReasonTimeout}, pacing.Disconnected, true, false},
		{&TransportError{Reason: ReasonTimeout, NotSent: true}, pacing.Disconnected, true, true},
		{&TransportError{Reason: ReasonTLS, NotSent: true}, pacing.Disconnected, false, false},
	} {
		for method, retryable := range map[string]bool{"GET": test.get, "POST": test.post} {
			if got := resultOf(method, test.err); got.Outcome != test.want || got.Retryable != retryable {
				t.Errorf("%s, %+v: got %+v, want the outcome %d, and retryable %t", method, test.err, got, test.want, retryable)
			}
		}
	}
}
