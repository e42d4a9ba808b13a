// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"fmt"
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
	const toItem = `,{"id":"1","from":{"blockId":"a"},"to":{"groupId":"b","blockId":"i"}}`
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
		"another first node":            {graph(lost, link("1", "b", "c")+link("2", "c", "d"), ""), graph(`,{"id":"c"},{"id":"d"}`, link("2", "c", "d"), ""), []string{"unreachable_node c"}},
		"a link that dangles elsewhere": {graph("", link("x", "a", "y"), ""), graph("", link("x", "a", "z"), ""), []string{"new dangling_link x"}},
		"a link to another missing item": {
			graph(items, toItem+`,{"id":"x","from":{"blockId":"a"},"to":{"groupId":"b","blockId":"y"}}`, ""), graph(items, toItem+`,{"id":"x","from":{"blockId":"a"},"to":{"groupId":"b","blockId":"z"}}`, ""),
			[]string{"new dangling_link x"},
		},
		"a link from another missing item": {
			graph(items, link("1", "a", "b")+link("x", "y", "a"), ""), graph(items, link("1", "a", "b")+link("x", "z", "a"), ""), []string{"new orphaned_link x"},
		},
		"another missing link of an item": {
			graph(`,{"id":"b","items":[{"id":"i","outgoingEdgeId":"y"}]}`, link("1", "a", "b"), ""), graph(`,{"id":"b","items":[{"id":"i","outgoingEdgeId":"z"}]}`, link("1", "a", "b"), ""),
			[]string{"new missing_link i"},
		},
		"a second missing link of an item": {
			graph(`,{"id":"b","items":[{"id":"i","outgoingEdgeId":"y"}]}`, link("1", "a", "b"), ""),
			graph(`,{"id":"b","items":[{"id":"i","outgoingEdgeId":"y","else":{"outgoingEdgeId":"z"}}]}`, link("1", "a", "b"), ""),
			[]string{"missing_link i", "new missing_link i"},
		},
		"a jump to another missing node": {
			graph(`,{"id":"b","items":[{"id":"i","groupId":"y"}]}`, link("1", "a", "b"), ""), graph(`,{"id":"b","items":[{"id":"i","groupId":"z"}]}`, link("1", "a", "b"), ""),
			[]string{"new dangling_jump i"},
		},
		"another node with an undefined name": {
			graph(`,{"id":"b","t":"{{x}}"},{"id":"c"}`, link("1", "a", "b")+link("2", "a", "c"), ""), graph(`,{"id":"b","t":"{{x}}"},{"id":"c","t":"{{x}}"}`, link("1", "a", "b")+link("2", "a", "c"), ""),
			[]string{"new undefined_variable b"},
		},
		"another undefined name in a node": {
			graph(`,{"id":"b","t":"{{x}}"}`, link("1", "a", "b"), ""), graph(`,{"id":"b","t":"{{a}}{{x}}"}`, link("1", "a", "b"), ""),
			[]string{"new undefined_variable b", "undefined_variable b"},
		},
		"one undefined name less": {
			graph(`,{"id":"b","t":"{{x}}"},{"id":"c","t":"{{x}}"}`, link("1", "a", "b")+link("2", "a", "c"), ""), graph(`,{"id":"b"},{"id":"c","t":"{{x}}"}`, link("1", "a", "b")+link("2", "a", "c"), ""),
			[]string{"undefined_variable c"},
		},
		"one duplicate more":               {graph("", "", `{"id":"v"},{"id":"v"}`), graph("", "", `{"id":"v"},{"id":"v"},{"id":"v"}`), []string{"duplicate_id v"}},
		"one duplicate less":               {graph("", "", `{"id":"v"},{"id":"v"},{"id":"v"}`), graph("", "", `{"id":"v"},{"id":"v"}`), []string{"duplicate_id v"}},
		"duplicates of another kind":       {graph("", "", `{"id":"x"},{"id":"x"}`), graph("", link("x", "a", "a")+link("x", "a", "a"), ""), []string{"new duplicate_id x"}},
		"a second link without an ID":      {graph(items, link("1", "a", "b")+`,{"to":{"groupId":"y"}}`, ""), graph(items, link("1", "a", "b")+`,{"to":{"groupId":"y"}},{"to":{"groupId":"y"}}`, ""), []string{"dangling_link ", "dangling_link "}},
		"the same reason":                  {`{"graph":{"nodes":[{}]}}`, `{"graph":{"nodes":[{},{}]}}`, []string{"graph_not_understood "}},
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
			if diff := cmp.Diff(flow.Findings(parse(t, test.after)), list); diff != "" {
				t.Errorf("not the findings of the definition (-want +got):\n%s", diff)
			}
		})
	}
}

// In a list that is cut, only the new findings are new.
func TestManyEarlierFindings(t *testing.T) {
	t.Parallel()
	definition := func(first int) string {
		return `{"graph":{"entrypoints":[{"id":"e","outgoingEdgeId":"l"}],"links":[{"id":"l","to":{"groupId":"n"}}],
			"nodes":[{"id":"n","text":"` + fmt.Sprintf("{{a%d}}", first) + repeat(8000, "{{u%d}}") + `"}]}}`
	}
	list, isNew := flow.FindingsSince(parse(t, definition(2)), parse(t, definition(1)))
	for i, f := range list {
		if want := f.Title == "a2"; isNew[i] != want {
			t.Errorf("%s is new: %v", f.Title, isNew[i])
		}
	}
	if len(list) < 10 {
		t.Errorf("only %d findings", len(list))
	}
}
