// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
	"github.com/convo/terraform-provider-convo/internal/flow"
)

// BenchmarkFindings compares the analysis of responses, as an audit does it, with
// decoding them into any, in turn, so that times-decoding means the same on every machine.
func BenchmarkFindings(b *testing.B) {
	for _, bench := range []struct {
		name   string
		agents []devserver.Agent
	}{
		{"1000 agents", devservertest.ManyAgents(1000).Agents},
		{"one of 1.3 MB", []devserver.Agent{devservertest.LargeAgent("agt", 1_200_000)}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var responses [][]byte
			for _, agent := range bench.agents {
				responses = append(responses, fmt.Appendf(nil, `{"agent":%s}`, agent.Definition))
			}
			var decoding, analysis time.Duration
			for b.Loop() {
				begin := time.Now()
				for _, response := range responses {
					var value any
					if err := json.Unmarshal(response, &value); err != nil {
						b.Fatal(err)
					}
				}
				middle := time.Now()
				for _, response := range responses {
					if _, err := flow.FindingsIn(response, "agent"); err != nil {
						b.Fatal(err)
					}
				}
				decoding += middle.Sub(begin)
				analysis += time.Since(middle)
			}
			b.ReportMetric(float64(analysis)/float64(decoding), "times-decoding")
			b.ReportMetric(float64(analysis)/float64(b.N*len(bench.agents))/1e3, "µs/agent")
		})
	}
}
