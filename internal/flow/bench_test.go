// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"encoding/json"
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

// decode is the floor of everything that reads JSON.
func decode(b testing.TB, texts []string) {
	for _, text := range texts {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			b.Fatal(err)
		}
	}
}
