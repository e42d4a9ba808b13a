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

// A definition of 35 KB with one long ID does not have findings of 20 MB, nor one
// of 2 MB so many that Terraform takes seconds to convert them.
func TestFindingsAreLimited(t *testing.T) {
	t.Parallel()
	const names = 1000
	tests := map[string]struct{ id, others string }{
		"a long ID":  {strings.Repeat("n", 20_000), ""},
		"many nodes": {"n", "," + repeat(100_000, `{"id":"x%d"}`)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findings := flow.Findings(parse(t, `{"graph":{"entrypoints":[{"id":"e","outgoingEdgeId":"l"}],"links":[{"id":"l","to":{"groupId":"`+test.id+`"}}],
				"nodes":[{"id":"`+test.id+`","text":"`+repeat(names, "{{u%d}}")+`"}`+test.others+`]}}`))
			size := 0
			for _, f := range findings {
				size += len(f.ID) + len(strings.Join(f.IDs, "")) + len(f.Title) + len(f.Message)
			}
			last := findings[len(findings)-1]
			if size > 1_050_000 || len(findings) > 12_000 || len(findings) < 10 {
				t.Errorf("%d findings have %d bytes", len(findings), size)
			}
			lost := strings.Count(test.others, `"id"`)
			want := fmt.Sprintf("%d more findings are not listed, because the list is too long.", names+lost-len(findings)+1)
			if last.Kind != flow.GraphNotUnderstood || last.Message != want {
				t.Errorf("the last finding is %q, want %q", last.Message, want)
			}
		})
	}
}
