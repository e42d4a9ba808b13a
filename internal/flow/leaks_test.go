// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// An audit keeps the findings of all agents, but not their definitions.
func TestFindingsDoNotKeepTheDefinition(t *testing.T) {
	memory := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	const agents, size = 30, 1 << 20
	document := fmt.Sprintf(`{"agent":{"pad":%q,"graph":{"links":[{"id":"l","to":{"groupId":"n"}}],"entrypoints":[{"id":"e","go":"n"}],"memory":[{"name":"y"}],"nodes":[{"id":"n","t":"{{x}}{{y}}","botId":"z"},{"id":"lost"}]}}}`,
		strings.Repeat("x", size))
	before := memory()
	var kept []flow.Analysis
	for range agents {
		analysis, err := flow.AnalysisIn([]byte(document), "agent")
		if err != nil || len(analysis.Findings) != 2 || len(analysis.AgentLinks) != 1 || len(analysis.Unset) != 1 {
			t.Fatal(analysis, err)
		}
		kept = append(kept, analysis)
	}
	if after := memory(); after > before+2*size {
		t.Errorf("the findings of %d agents keep %d bytes", len(kept), after-before)
	}
	runtime.KeepAlive(kept)
}
