// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// repeat returns a list of so many elements, each with its number.
func repeat(n int, format string) string {
	var parts strings.Builder
	for i := range n {
		fmt.Fprintf(&parts, format+",", i)
	}
	return strings.TrimSuffix(parts.String(), ",")
}

func TestFindingsAreLimited(t *testing.T) {
	t.Parallel()
	findings := flow.Analyze(parse(t, `{"graph":{"entrypoints":[{"id":"e","outgoingEdgeId":"l"}],"links":[{"id":"l","to":{"groupId":"n"}}],
		"nodes":[{"id":"n"},`+repeat(12_000, `{"id":"x%d"}`)+`]}}`)).Findings
	last := findings[len(findings)-1]
	const want = "2000 more findings are not listed, because the list is too long."
	if len(findings) != 10_001 || last.Kind != "graph_not_understood" || last.Message != want {
		t.Errorf("%d findings end with %q, want %q", len(findings), last.Message, want)
	}
}
