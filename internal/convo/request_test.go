// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"errors"
	"maps"
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

// TestLogWithoutResponse: an error of any type is logged, and its text, which could
// quote a response, is not.
func TestLogWithoutResponse(t *testing.T) {
	t.Parallel()
	var got map[string]any
	client, err := New(Config{
		BaseURL: "https://agents.example", Token: "t",
		Log: func(_ context.Context, _ string, fields map[string]any) { got = fields },
	})
	if err != nil {
		t.Fatal(err)
	}
	client.log(t.Context(), operation{method: "GET", path: "/v1/agents"}, nil, errors.New("other"), map[string]any{"attempt": 1})
	want := map[string]any{"method": "GET", "path": "/v1/agents", "attempt": 1}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
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
		if got := new(Client).resultOf("GET", test.err).Outcome; got != test.want {
			t.Errorf("%v: got %d, want %d", test.err, got, test.want)
		}
	}
}
