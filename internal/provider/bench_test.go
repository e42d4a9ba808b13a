// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// The benchmarks drive the provider through its protocol server and compare
// each read with its floor: the same answers fetched and decoded into any,
// which is the least that any reader of them does. Both sides run in turn, in
// one process with the service, so that the ratio holds on any machine.

// BenchmarkReadAgents reads a list of 10,000 agents. To hold: 6 times the floor.
func BenchmarkReadAgents(b *testing.B) {
	s := startService(b, devserver.WithSeed(devserver.ManyAgents(10_000)))
	compare(b, s, 6, "convo_agents", object{}, "/v1/agents")
}

// BenchmarkReadLargeAgent reads a definition of 1.5 MB. To hold: 5 times the floor.
func BenchmarkReadLargeAgent(b *testing.B) {
	seed := devserver.DefaultSeed()
	agent := devserver.LargeAgent("agt_large", 1_500_000)
	agent.WorkspaceID = seed.Workspaces[0].ID
	seed.Agents = append(seed.Agents, agent)
	s := startService(b, devserver.WithSeed(seed))
	compare(b, s, 5, "convo_agent", object{"agent_id": "agt_large"}, "/v1/agents/agt_large")
}

// compare reads a data source and its floor in turn, and reports the means
// and what one read allocates.
func compare(b *testing.B, s service, limit float64, source string, config object, path string) {
	b.Helper()
	p := configured(b, s)
	request := &tfprotov6.ReadDataSourceRequest{
		TypeName: source,
		Config:   p.dynamic(p.schema.DataSourceSchemas[source].ValueType(), config),
	}
	read := func() {
		response, err := p.server.ReadDataSource(b.Context(), request)
		if err != nil {
			b.Fatal(err)
		}
		requireNoErrors(b, response.Diagnostics)
	}
	floor := func() { fetch(b, s.BaseURL+path) }
	read()
	floor()

	var reads, floors measured
	for b.Loop() {
		floors.add(floor)
		reads.add(read)
	}
	b.ReportMetric(0, "ns/op") // The sum of both sides says nothing.
	b.ReportMetric(floors.milliseconds(), "floor-ms")
	b.ReportMetric(reads.milliseconds(), "read-ms")
	b.ReportMetric(reads.milliseconds()/floors.milliseconds(), "times-floor")
	b.ReportMetric(limit, "times-floor-allowed")
	b.ReportMetric(floors.megabytes(), "floor-MB")
	b.ReportMetric(reads.megabytes(), "read-MB")
}

// measured adds up what a side of a comparison took.
type measured struct {
	n         int
	elapsed   time.Duration
	allocated uint64
}

func (m *measured) add(run func()) {
	// What the other side left is not to be swept at this one's cost.
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	run()
	m.elapsed += time.Since(start)
	runtime.ReadMemStats(&after)
	m.n++
	m.allocated += after.TotalAlloc - before.TotalAlloc
}

func (m *measured) milliseconds() float64 { return float64(m.elapsed.Milliseconds()) / float64(m.n) }
func (m *measured) megabytes() float64    { return float64(m.allocated) / float64(m.n) / 1e6 }

// fetch is the floor of a read.
func fetch(b *testing.B, address string) {
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+devserver.TokenWrite)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		b.Fatal(err)
	}
}
