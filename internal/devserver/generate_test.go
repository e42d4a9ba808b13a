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
	ids, sizes, total := map[string]bool{}, map[int]bool{}, 0
	for _, agent := range seed.Agents {
		ids[agent.ID] = true
		sizes[len(agent.Definition)] = true
		total += len(agent.Summary)
		if len(agent.Daily) == 0 {
			t.Errorf("%s has no counters", agent.ID)
		}
	}
	if len(ids) != n {
		t.Errorf("got %d different IDs, want %d", len(ids), n)
	}
	if len(sizes) < n/10 {
		t.Errorf("got only %d different sizes of definitions", len(sizes))
	}
	if average := total / n; average < 350 || average > 500 {
		t.Errorf("a summary has %d bytes on average, want about 400", average)
	}
	if slices.IsSortedFunc(seed.Agents, func(a, b devserver.Agent) int {
		return strings.Compare(a.ID, b.ID)
	}) {
		t.Error("the list is sorted by ID")
	}
}

func TestManyAgentsOfNone(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, -1} {
		if seed := devserver.ManyAgents(n); len(seed.Agents) != 0 || len(seed.Workspaces) != 2 {
			t.Errorf("%d: got %d agents and %d workspaces, want 0 and 2", n, len(seed.Agents), len(seed.Workspaces))
		}
	}
}

func TestLargeAgent(t *testing.T) {
	t.Parallel()
	for _, size := range []int{-1, 0, 1, 10_000, 1 << 20} {
		agent := devserver.LargeAgent("agt_large", size)
		if len(agent.Definition) < size || len(agent.Definition) > 2000+size*6/5 {
			t.Errorf("asked for %d bytes, got %d", size, len(agent.Definition))
		}
		if !reflect.DeepEqual(agent, devserver.LargeAgent("agt_large", size)) {
			t.Errorf("two calls with %d differ", size)
		}
	}
}
