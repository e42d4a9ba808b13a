// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devservertest_test

import (
	"reflect"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
)

// TestManyAgents holds that the agents of benchmarks have the documented number, order and sizes.
func TestManyAgents(t *testing.T) {
	t.Parallel()
	agents := devservertest.ManyAgents(300).Agents
	if !reflect.DeepEqual(agents, devservertest.ManyAgents(300).Agents) {
		t.Error("two calls differ")
	}
	if len(agents) != 300 || agents[0].ID != "agt_gen000299" || agents[299].ID != "agt_gen000000" {
		t.Errorf("got %d agents from %s to %s", len(agents), agents[0].ID, agents[len(agents)-1].ID)
	}
	for _, agent := range agents {
		if size := len(agent.Definition); size < 5<<10 || size > 14<<10 {
			t.Errorf("the definition of %s has %d bytes", agent.ID, size)
		}
	}
	for _, size := range []int{10_000, 1 << 20} {
		if got := len(devservertest.LargeAgent("agt_large", size).Definition); got < size*99/100 || got > 8000+size*107/100 {
			t.Errorf("asked for %d bytes, got %d", size, got)
		}
	}
}
