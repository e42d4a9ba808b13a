// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/benchtest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
)

// BenchmarkFindings compares the analysis of definitions, as an audit does it, with
// decoding them into any.
func BenchmarkFindings(b *testing.B) {
	for _, bench := range []struct {
		name   string
		agents []devserver.Agent
		limit  float64
	}{
		{"1000 agents", devservertest.ManyAgents(1000).Agents, 1.5},
		{"one of 1.3 MB", []devserver.Agent{devservertest.LargeAgent("agt", 1_200_000)}, 2},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var responses []string
			for _, agent := range bench.agents {
				responses = append(responses, string(agent.Definition))
			}
			run := func() {
				for _, response := range responses {
					analysisOf(b, response)
				}
			}
			benchtest.Compare(b, run, func() { decode(b, responses) }, bench.limit)
		})
	}
}

// BenchmarkFindingsOfLargeGraphs analyzes large definitions whose parts refer to each other as often as
// possible. If the time is linear, the ratio is the same for both sizes.
func BenchmarkFindingsOfLargeGraphs(b *testing.B) {
	for _, size := range []int{2_000_000, 8_000_000} {
		nodes := int(math.Sqrt(float64(size) / 8))
		all := repeat(nodes, `"n%d"`)
		inAll := func(format string) string { return strings.ReplaceAll(repeat(nodes, format), "ALL", all) }
		missing := strings.ReplaceAll(strings.ReplaceAll(all, ",", "},"), `"n`, `{"outgoingEdgeId":"n`) + "}"
		for name, graph := range map[string]string{
			"jumps to all nodes":  `"links":[{"to":{"groupId":"n0"}}],"nodes":[` + inAll(`{"id":"n%d","go":[ALL]}`) + `]`,
			"jumps to no node":    `"links":[{"to":{"groupId":"m0"}}],"nodes":[` + strings.ReplaceAll(repeat(nodes, `{"id":"m%d","go":[ALL]}`), "ALL", strings.ReplaceAll(missing, "outgoingEdgeId", "groupId")) + `]`,
			"missing links":       `"links":[{"to":{"groupId":"m0"}}],"nodes":[` + strings.ReplaceAll(repeat(nodes, `{"id":"m%d","go":[ALL]}`), "ALL", missing) + `]`,
			"keys in from":        `"links":[{"from":{` + repeat(size/25, `"a%[1]d":"b%[1]d"`) + `},"to":{"groupId":"n"}}],"nodes":[{"id":"n","go":[` + repeat(size/25, `{"id":"b%d"}`) + `]}]`,
			"a name that repeats": `"links":[{"to":{"groupId":"n"}}],"nodes":[{"id":"n","text":"` + strings.Repeat("{{a}}", size/5) + `"}]`,
		} {
			b.Run(fmt.Sprintf("%s, %d MB", name, size/1_000_000), func(b *testing.B) {
				text := `{"graph":{` + graph + `}}`
				run := func() { analysisOf(b, text) }
				benchtest.Compare(b, run, func() { decode(b, []string{text}) }, 10)
			})
		}
	}
}

// decode is the floor of everything that reads JSON.
func decode(b testing.TB, texts []string) {
	for _, text := range texts {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			b.Fatal(err)
		}
	}
}
