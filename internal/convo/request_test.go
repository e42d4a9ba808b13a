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
	if got.RequestTimeout != 30*time.Second || got.MaxConcurrentRequests != 16 || got.RetryWait != 500*time.Millisecond ||
		got.StatsPeriodParameter != "timeFilter" {
		t.Errorf("got %+v", got)
	}
}

// TestOutcomes holds what each response shows about the service's limits.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want pacing.Outcome
	}{
		{nil, pacing.Admitted},
		{&ResponseError{Status: 404}, pacing.Admitted},
		{&ResponseError{Status: 408}, pacing.Admitted},
		{&ResponseError{Status: 425}, pacing.Admitted},
		{&ResponseError{Status: 429}, pacing.Throttled},
		{&ResponseError{Status: 500}, pacing.Failed},
		{&ResponseError{Status: 503}, pacing.Failed},
		{&ResponseError{Status: 503, RetryAfter: time.Second}, pacing.Throttled},
		{&TransportError{}, pacing.Failed},
	} {
		if got := resultOf("GET", test.err).Outcome; got != test.want {
			t.Errorf("%v: got %d, want %d", test.err, got, test.want)
		}
	}
}
