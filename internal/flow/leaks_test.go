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

// An audit keeps the findings and digests of all agents, but not their definitions.
func TestResultsDoNotKeepTheDefinition(t *testing.T) {
	memory := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	const agents, size = 30, 1 << 20
	text := fmt.Sprintf(`{"pad":%q,"graph":{"links":[{"id":"l","to":{"groupId":"n"}}],"entrypoints":[{"id":"e","go":"n"}],"memory":[{"name":"y"}],"nodes":[{"id":"n","t":"{{x}}{{y}}","botId":"z","url":"https://a.example"},{"id":"lost"}]}}`,
		strings.Repeat("x", size))
	before := memory()
	var kept []any
	for range agents {
		d := parse(t, text)
		digest, analysis := d.Digest(), flow.Analyze(d)
		if len(digest.Hosts) != 1 || len(analysis.Findings) != 2 || len(analysis.AgentLinks) != 1 || len(analysis.Unset) != 1 {
			t.Fatal(digest, analysis)
		}
		kept = append(kept, digest, analysis)
	}
	if after := memory(); after > before+2*size {
		t.Errorf("the results of %d agents keep %d bytes", agents, after-before)
	}
	runtime.KeepAlive(kept)
}
