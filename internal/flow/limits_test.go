// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/definition"
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

// inTime runs what takes up to 200 times as long as decoding texts, and thousands of times if the
// time grows with the square of the size. Other programs can lengthen one attempt.
func inTime(t *testing.T, texts []string, run func()) {
	t.Helper()
	var ratios []float64
	for range 5 {
		start := time.Now()
		decode(t, texts)
		decoded := time.Now()
		run()
		ratio := time.Since(decoded).Seconds() / decoded.Sub(start).Seconds()
		t.Log(ratio)
		if ratio < 500 {
			return
		}
		ratios = append(ratios, ratio)
	}
	t.Fatalf("took %.0f times as long as decoding", ratios)
}

// What many parts of a definition share is not prepared for each of them.
func TestLargeDefinitions(t *testing.T) {
	t.Parallel()
	const size = 300_000
	graphOf := func(entrypoints, links, nodes string) string {
		return `{"graph":{"entrypoints":[{"id":"e","outgoingEdgeId":"l"}` + entrypoints + `],"links":[{"id":"l","to":{"groupId":"n"}}` + links + `],"nodes":[` + nodes + `]}}`
	}
	spaces := strings.Repeat(" ", size/2)
	tests := map[string]string{
		"links from a node with a long title": graphOf("", ","+repeat(size/140, `{"id":"l%d","from":{"blockId":"b"},"to":{"groupId":"gone"}}`),
			`{"id":"n","title":"`+spaces+`","blocks":[{"id":"b"}]}`),
		"items of a node with a long title": graphOf("", ","+repeat(size/240, `{"id":"l%[1]d","from":{"blockId":"b%[1]d"},"to":{"groupId":"gone"}}`),
			`{"id":"n","title":"`+spaces+`","blocks":[`+repeat(size/240, `{"id":"b%d"}`)+`]}`),
		"links from an item with a long text": graphOf("", ","+repeat(size/160, `{"id":"l%d","from":{"blockId":"n","itemId":"i"},"to":{"groupId":"n"}}`),
			`{"id":"n","items":[{"id":"i","text":"`+spaces+`"}]}`),
		"links from an item without a text": graphOf("", ","+repeat(size/160, `{"id":"l%d","from":{"blockId":"n","itemId":"i"},"to":{"groupId":"gone%[1]d"}}`),
			`{"id":"n","items":[{"id":"i","x":[`+repeat(size/20, "%d")+`]}]}`),
		"items in items without a text": graphOf("", "", `{"id":"n","x":`+strings.ReplaceAll(repeat(9000, `{"id":"i%[1]d","outgoingEdgeId":"x%[1]d","pad":[0],"a":`), ":,", ":")+"0"+strings.Repeat("}", 9000)+`}`),
		"items that nodes with long titles share": graphOf("", ","+repeat(size/320, `{"id":"l%[1]d","from":{"blockId":"b%[1]d"},"to":{"groupId":"gone"}}`),
			`{"id":"n","title":"`+spaces[:size/4]+`1","blocks":[`+repeat(size/320, `{"id":"b%d"}`)+`]},{"id":"n2","title":"`+spaces[:size/4]+`2","blocks":[`+repeat(size/320, `{"id":"b%d"}`)+`]}`),
		"links to items of nodes without an ID": graphOf("", ","+repeat(size/200, `{"id":"l%[1]d","from":{"blockId":"n","itemId":"i%[1]d"},"to":{"groupId":"b"}}`),
			`{"id":"n","items":[`+repeat(size/200, `{"id":"i%[1]d","text":"%[1]d"}`)+`]},`+repeat(size/100, `{"blocks":[{"id":"b"}],"x":%d}`)),
		"links from a long ID": graphOf("", ","+repeat(400, `{"id":"l%[1]d","from":{"blockId":"n"},"to":{"groupId":"gone%[1]d"}}`), `{"id":"n"},{"id":"`+spaces+`","go":[`+repeat(400, `"n%d"`)+`]},`+repeat(400, `{"id":"n%d"}`)),
		"links from an item that nodes share": graphOf("", ","+repeat(size/100, `{"id":"l%d","from":{"blockId":"b"},"to":{"groupId":"n"}}`),
			`{"id":"n"},`+repeat(size/100, `{"id":"n%d","blocks":[{"id":"b"}]}`)),
		"links with one ID that entry points share": graphOf(","+repeat(size/100, `{"id":"e%d","outgoingEdgeId":"l"}`), ","+repeat(size/100, `{"id":"l","from":{"blockId":"x%d"}}`), `{"id":"n"}`),
		"nodes with one ID":                         graphOf("", "", repeat(size/40, `{"id":"n","title":"%d","go":"n"}`)),
		"braces that are not closed":                graphOf("", "", `{"id":"n","text":"`+strings.Repeat("{{", size/2)+`"}`),
		"keys that are equal in a link":             graphOf("", `,{"id":"l2","from":{`+repeat(size/4, `"blockId":"%d"`)+`},"to":{`+repeat(size/4, `"groupId":"%d"`)+`}}`, `{"id":"n"}`),
		"a link with many items that nodes share": graphOf("", `,{"id":"l2","from":{"blockId":"b",`+repeat(size/6, `"%d":"i"`)+`},"to":{"groupId":"n"}}`,
			`{"id":"n"},`+repeat(size*3/100, `{"id":"n%d","blocks":[{"id":"b"},{"id":"i"}]}`)),
		"jumps to all nodes":    graphOf("", "", strings.ReplaceAll(repeat(500, `{"id":"n%d","go":[ALL]}`), "ALL", repeat(500, `"n%d"`))),
		"jumps to no nodes":     graphOf("", "", `{"id":"n","blocks":[`+repeat(size/40, `{"id":"b%[1]d","groupId":"x%[1]d"}`)+`]}`),
		"jumps to other agents": graphOf("", "", `{"id":"n","blocks":[`+repeat(size/40, `{"groupId":"n","agentId":"x%d"}`)+`]},{"id":"n2","groupId":"n",`+repeat(size/40, `"%dId":"current"`)+`}`),
		"jumps to no items":     graphOf("", `,{"id":"l2","from":{"blockId":"i"}}`, `{"id":"n","blocks":[{"id":"i"},`+repeat(size/60, `{"id":"b%[1]d","o":{"groupId":"n","blockId":"x%[1]d"}}`)+`]}`),
		"IDs of no variables": strings.Replace(graphOf("", "", `{"id":"n",`+repeat(size/60, `"k%[1]d":"v","K%[1]d":"v"`)+`,"o":[`+repeat(size/60, `{"k%[1]d":"x%[1]d"}`)+`]}`),
			`"nodes"`, `"memory":[{"id":"v"}],"nodes"`, 1),
		"an ID of no variable": strings.Replace(graphOf("", "", `{"id":"n","k":"v"},`+repeat(size/30, `{"id":"n%d","k":"x"}`)), `"nodes"`, `"memory":[{"id":"v"}],"nodes"`, 1),
		"formulas and names":   strings.Replace(graphOf("", "", `{"id":"n","a":"`+strings.Repeat("{{= a }}", size/30)+`","b":"`+strings.Repeat("{{=a=}}", size/30)+`","c":"`+strings.Repeat("{{={{", size/30)+`"}`), `"nodes"`, `"memory":[`+repeat(size/60, `{"name":"a }}{{= a%d"}`)+`],"nodes"`, 1),
		"links that start in each other": graphOf("", ","+repeat(size/100, `{"id":"l%[1]d","from":{"blockId":"i%[1]d","aId":"i0","bId":"i1"},"to":{"groupId":"n"}}`),
			`{"id":"n","x":`+strings.ReplaceAll(repeat(9000, `{"id":"i%[1]d","groupId":"n","a":`), ":,", ":")+"0"+strings.Repeat("}", 9000)+`}`),
		"items that nodes share": graphOf("", ","+repeat(size/100, `{"id":"l%[1]d","from":{"blockId":"b","itemId":"x%[1]d"},"to":{"groupId":"n","blockId":"b"}}`),
			`{"id":"n"},`+repeat(size/100, `{"id":"n%d","blocks":[{"id":"b","items":[{"id":"x1"}]}]}`)),
		"keys in reverse order": graphOf("", "", `{"id":"n",`+repeat(size/20, `"%d":"n"`)+`}`),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, []string{text}, func() {
				graph := parse(t, text)
				flow.Analyze(graph)
				flow.Diagram(graph, definition.Definition{})
				flow.Diagram(graph, graph)
			})
		})
	}
}

// A definition of 118 KB with one long ID does not have findings of 800 MB, nor one
// of 2 MB so many that Terraform takes seconds to convert them.
func TestFindingsAreLimited(t *testing.T) {
	t.Parallel()
	const names = 8000
	long := strings.Repeat("n", 50_000)
	tests := map[string]struct{ id, others string }{
		"a long ID":      {long, ""},
		"many names":     {"n", ""},
		"many nodes":     {"n", "," + repeat(100_000, `{"id":"x%d"}`)},
		"one long lost":  {"n", `,{"id":"` + strings.Repeat("x", 2<<20) + `"}`},
		"many long lost": {"n", "," + repeat(100, `{"id":"`+long+`%d"}`)},
		"long titles":    {"n", "," + repeat(names, `{"id":"x%d","title":"`+strings.Repeat("💥", 200)+`"}`)},
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
			if size > 1<<20 || len(findings) > 12_000 || len(findings) < 10 {
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
