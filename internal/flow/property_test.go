// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// randomGraph is a graph with some mistakes in it, as the elements of its parts.
func randomGraph(random *rand.Rand) map[string][]string {
	graph := map[string][]string{
		"entrypoints": {`{"id": "e", "type": "start"}`, `{"id": "f", "type": "start"}`},
		"links":       {`{"id": "k0", "from": {"blockId": "e"}, "to": {"groupId": "n0"}}`, `{"id": "k1", "from": {"blockId": "b0"}, "to": {"groupId": "n1"}}`},
	}
	add := func(part, format string, args ...any) {
		graph[part] = append(graph[part], fmt.Sprintf(format, args...))
	}
	size := 3 + random.IntN(8)
	for i := range size {
		add("nodes", `{"id": "n%d", "title": "Node %d", "blocks": [{"id": "b%d"}], "jump": "n%d", "text": "{{v%d}}"}`,
			i, random.IntN(4), i, random.IntN(4*size), random.IntN(5))
	}
	for i := range random.IntN(2 * size) {
		add("links", `{"id": "l%d", "from": {"blockId": "b%d"}, "to": {"groupId": "n%d"}}`, i, random.IntN(size+1), random.IntN(size+1))
	}
	for i := range 4 {
		add("memory", `{"id": "id%d", "name": "v%d"}`, i, i)
	}
	if random.IntN(4) == 0 {
		add("nodes", `{"id": "n1", "title": "Again"}`)
		graph["links"] = append(graph["links"], graph["links"][1])
	}
	return graph
}

func analyze(t *testing.T, graph map[string][]string) []flow.Finding {
	t.Helper()
	var parts []string
	for part, elements := range graph {
		parts = append(parts, fmt.Sprintf("%q: [%s]", part, strings.Join(elements, ",")))
	}
	return flow.Analyze(parse(t, `{"graph": {`+strings.Join(parts, ",")+`}}`)).Findings
}

// lostIn returns the sorted IDs of unreachable nodes, and the number of parts.
func lostIn(findings []flow.Finding) (parts int, lost []string) {
	for _, f := range findings {
		if f.Kind == "unreachable_node" {
			parts++
			lost = append(lost, f.IDs...)
		}
	}
	slices.Sort(lost)
	return parts, lost
}

// The order of nodes only decides which of them stands for several, and the
// order of other parts decides nothing.
func TestOrderMeansNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	found := map[string]int{}
	for range 500 {
		graph := randomGraph(random)
		shuffle := func(key string) {
			part := graph[key]
			random.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		}
		want := analyze(t, graph)
		for _, f := range want {
			found[f.Kind]++
		}
		for _, key := range []string{"links", "memory", "entrypoints"} {
			shuffle(key)
		}
		if diff := cmp.Diff(want, analyze(t, graph)); diff != "" {
			t.Fatalf("shuffled (-want +got):\n%s", diff)
		}
		shuffle("nodes")
		parts, lost := lostIn(want)
		gotParts, gotLost := lostIn(analyze(t, graph))
		if parts != gotParts || !slices.Equal(lost, gotLost) || len(slices.Compact(gotLost)) != len(lost) {
			t.Fatalf("shuffled nodes: got %d parts with %v, want %d with %v", gotParts, gotLost, parts, lost)
		}
	}
	if len(found) != 7 {
		t.Errorf("the graphs had only the findings %v", found)
	}
}

// Whatever the definition, there is no panic, and what comes out is text that
// Terraform takes and that stays on its line.
func FuzzFlow(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `{"graph":null}`, `{"graph":{}}`, `{"graph":{"nodes":{},"links":1,"memory":"x","entrypoints":[[]]}}`,
		"{\"graph\":{\"nodes\":[{\"id\":\"\xff\",\"title\":\"\xfe\"}],\"links\":[{\"to\":{\"groupId\":\"\xff\"}}]}}",
		graph(`, {"id": 1e2, "from": {"itemId": "i"}, "to": {"groupId": "n2"}}`, `, {"id": "n2", "title": "\"]<%`+"`"+`\n", "blocks": [{"id": "i", "content": "{{v}} '"}]}`, `{"id": "v", "name": "{{"}`),
		graph(`, {"id": "l1", "to": {"groupId": "n9"}}`, `, {"id": "n1", "go": ["n0", {"n0": 1}]}, {"id": -0.5e-7}`, `null, {"id": "n1"}`),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		graph, err := definition.Parse(sent)
		if err != nil {
			return
		}
		findings := flow.Analyze(graph).Findings
		for _, finding := range findings {
			checkText(t, finding.Title+finding.Message)
			if !utf8.ValidString(finding.ID) || finding.Message == "" {
				t.Errorf("unexpected finding %q", finding)
			}
		}
		if diff := cmp.Diff(findings, flow.Analyze(graph).Findings); diff != "" {
			t.Errorf("the second time (-first +second):\n%s", diff)
		}
		other := parse(t, `{"graph": {"nodes": [{"id": "n1", "title": "One"}], "links": [{"id": "l1"}]}}`)
		if changes := flow.Diff(parse(t, string(sent)), graph); len(changes) > 0 {
			t.Errorf("differs from itself: %v", changes)
		}
		for _, change := range flow.Diff(graph, other) {
			checkText(t, change.Title)
			for _, text := range []*string{change.Before, change.After} {
				if text == nil {
					continue
				}
				if canonical, err := jsonvalue.Parse([]byte(*text)); err != nil || canonical.JSON() != *text {
					t.Errorf("%s is not canonical JSON", *text)
				}
			}
		}
		for _, before := range []definition.Definition{{}, other} {
			checkDiagram(t, flow.Diagram(graph, before))
		}
	})
}
