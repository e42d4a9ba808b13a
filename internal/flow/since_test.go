// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// A finding is new if an element of it, or its cause, was in none before.
func TestFindingsSince(t *testing.T) {
	t.Parallel()
	// The graph has a start, the node a, and parts that can be added to it.
	graph := func(nodes, links, memory string) string {
		return `{"graph":{"entrypoints":[{"id":"e","type":"start","outgoingEdgeId":"l"}],"memory":[` + memory + `],
			"links":[{"id":"l","from":{"blockId":"e"},"to":{"groupId":"a"}}` + links + `],"nodes":[{"id":"a"}` + nodes + `]}}`
	}
	link := func(id, from, to string) string {
		return `,{"id":"` + id + `","from":{"blockId":"` + from + `"},"to":{"groupId":"` + to + `"}}`
	}
	const items = `,{"id":"b","items":[{"id":"i"}]}`
	const lost = `,{"id":"b"},{"id":"c"},{"id":"d"}`
	tests := map[string]struct {
		before, after string
		want          []string
	}{
		"the same": {graph(lost, link("x", "a", "y"), ""), graph(lost, link("x", "a", "y"), ""), []string{
			"dangling_link x", "unreachable_node b", "unreachable_node c", "unreachable_node d",
		}},
		"another title": {graph(`,{"id":"b"}`, "", ""), graph(`,{"id":"b","title":"B"}`, "", ""), []string{"unreachable_node b"}},
		"nodes behind one that was unreachable": {
			graph(lost, link("1", "b", "c")+link("2", "a", "d"), ""), graph(lost, link("1", "b", "c")+link("2", "c", "d"), ""), []string{"new unreachable_node b"},
		},
		"a link that dangles elsewhere": {graph("", link("x", "a", "y"), ""), graph("", link("x", "a", "z"), ""), []string{"new dangling_link x"}},
		"a link from another missing item": {
			graph(items, link("1", "a", "b")+link("x", "y", "a"), ""), graph(items, link("1", "a", "b")+link("x", "z", "a"), ""), []string{"new orphaned_link x"},
		},
		"another node with an undefined name": {
			graph(`,{"id":"b","t":"{{x}}"},{"id":"c"}`, link("1", "a", "b")+link("2", "a", "c"), ""), graph(`,{"id":"b","t":"{{x}}"},{"id":"c","t":"{{x}}"}`, link("1", "a", "b")+link("2", "a", "c"), ""),
			[]string{"new undefined_variable b"},
		},
		"one undefined name less": {
			graph(`,{"id":"b","t":"{{x}}"},{"id":"c","t":"{{x}}"}`, link("1", "a", "b")+link("2", "a", "c"), ""), graph(`,{"id":"b"},{"id":"c","t":"{{x}}"}`, link("1", "a", "b")+link("2", "a", "c"), ""),
			[]string{"undefined_variable c"},
		},
		"duplicates of another kind":       {graph("", "", `{"id":"x"},{"id":"x"}`), graph("", link("x", "a", "a")+link("x", "a", "a"), ""), []string{"new duplicate_id x"}},
		"another reason not to understand": {`{"graph":{"nodes":[{}]}}`, `{"graph":{"nodes":[{"id":"a"}],"links":[{"id":"l","from":{"blockId":"a"},"to":{"groupId":"a"}}]}}`, []string{"new graph_not_understood "}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			list, isNew := flow.FindingsSince(parse(t, test.after), parse(t, test.before))
			for i, f := range list {
				line := f.Kind + " " + f.ID
				if isNew[i] {
					line = "new " + line
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("unexpected findings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(flow.Analyze(parse(t, test.after)).Findings, list); diff != "" {
				t.Errorf("not the findings of the definition (-want +got):\n%s", diff)
			}
		})
	}
}
