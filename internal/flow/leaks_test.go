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
	document := fmt.Sprintf(`{"agent":{"pad":%q,"graph":{"links":[{"id":"l","to":{"groupId":"n"}}],"entrypoints":[{"id":"e","go":"n"}],"nodes":[{"id":"n","t":"{{x}}"},{"id":"lost"}]}}}`,
		strings.Repeat("x", size))
	before := memory()
	var kept [][]flow.Finding
	for range agents {
		findings, _, err := flow.FindingsIn([]byte(document), "agent")
		if err != nil || len(findings) != 2 {
			t.Fatal(findings, err)
		}
		kept = append(kept, findings)
	}
	if after := memory(); after > before+2*size {
		t.Errorf("the findings of %d agents keep %d bytes", len(kept), after-before)
	}
	runtime.KeepAlive(kept)
}
