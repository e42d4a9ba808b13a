// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"testing"
	"time"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	client, err := New(Config{BaseURL: "https://agents.example", Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	got := client.config
	if got.RequestTimeout != 30*time.Second || *got.MaxRetries != 4 || got.MaxConcurrentRequests != 16 ||
		got.RetryWait != 500*time.Millisecond || got.StatsPeriodParameter != "timeFilter" {
		t.Errorf("got %+v", got)
	}
}
