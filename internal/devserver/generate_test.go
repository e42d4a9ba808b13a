// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestManyAgents(t *testing.T) {
	t.Parallel()
	const n = 300
	seed := devserver.ManyAgents(n)
	if !reflect.DeepEqual(seed, devserver.ManyAgents(n)) {
		t.Error("two calls differ")
	}

	if len(seed.Agents) != n {
		t.Fatalf("got %d agents, want %d", len(seed.Agents), n)
	}
	ids, summaries, definitions := map[string]bool{}, 0, 0
	for _, agent := range seed.Agents {
		ids[agent.ID] = true
		summaries += len(agent.Summary)
		definitions += len(agent.Definition)
	}
	if len(ids) != n {
		t.Errorf("got %d different IDs, want %d", len(ids), n)
	}
	if average := summaries / n; average < 350 || average > 500 {
		t.Errorf("a summary has %d bytes on average, want about 400", average)
	}
	if average := definitions / n; average < 9000 || average > 11_000 {
		t.Errorf("a definition has %d bytes on average, want about 10000", average)
	}
	if slices.IsSortedFunc(seed.Agents, func(a, b devserver.Agent) int {
		return strings.Compare(a.ID, b.ID)
	}) {
		t.Error("the list is sorted by ID")
	}
}

func TestLargeAgent(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 10_000, 1 << 20} {
		agent := devserver.LargeAgent("agt_large", size)
		if got := len(agent.Definition); got < size*99/100 || got > 8000+size {
			t.Errorf("asked for %d bytes, got %d", size, got)
		}
	}
}
