// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/sync/errgroup"

	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
)

// The benchmarks drive the provider through its protocol server and compare
// each read with its floor: the same responses fetched and decoded into any,
// which is the least that any reader of them does. Both sides run in turn, in
// one process with the service, so that the ratio holds on any machine.

// BenchmarkReadAgents reads a list of 10,000 agents. To hold: 6 times the floor.
func BenchmarkReadAgents(b *testing.B) {
	s := startService(b, withSeed(devservertest.ManyAgents(10_000)))
	read := dataSource(configuredProvider(b, s), "convo_agents", object{})
	compare(b, read, func() { fetch(b, s.BaseURL+"/v1/agents") }, 6)
}

// BenchmarkReadLargeAgent reads a definition of 1.5 MB. To hold: 5 times the floor.
func BenchmarkReadLargeAgent(b *testing.B) {
	seed := devserver.DefaultSeed()
	agent := devservertest.LargeAgent("agt_large", 1_500_000)
	agent.WorkspaceID = seed.Workspaces[0].ID
	seed.Agents = append(seed.Agents, agent)
	s := startService(b, withSeed(seed))
	read := dataSource(configuredProvider(b, s), "convo_agent", object{"agent_id": "agt_large"})
	compare(b, read, func() { fetch(b, s.BaseURL+"/v1/agents/agt_large") }, 5)
}

// BenchmarkAudit audits 1,000 agents with statistics, 16 requests in flight.
func BenchmarkAudit(b *testing.B) {
	s := startService(b, withSeed(devservertest.ManyAgents(1000)))
	read := dataSource(configuredProvider(b, s), "convo_workspace_audit", object{"workspace_id": "larkspur", "stats_periods": list{"last30Days"}})
	compare(b, read, func() { fetchAll(b, auditAddresses(s, 1000)) }, 2)
}

// BenchmarkAuditGraphs audits 1,000 agents with the findings of their graphs,
// compared with the same audit without them. Limit: 1.2 times as long.
func BenchmarkAuditGraphs(b *testing.B) {
	s := startService(b, withSeed(devservertest.ManyAgents(1000)))
	p := configuredProvider(b, s)
	with := dataSource(p, "convo_workspace_audit", object{"workspace_id": "larkspur", "include_graph_findings": true})
	without := dataSource(p, "convo_workspace_audit", object{"workspace_id": "larkspur"})
	compare(b, with, without, 1.2)
}

// dataSource prepares the read of a data source.
func dataSource(p *testProvider, source string, config object) func() {
	request := &tfprotov6.ReadDataSourceRequest{
		TypeName: source,
		Config:   p.toDynamic(p.schema.DataSourceSchemas[source].ValueType(), config),
	}
	return func() {
		response, err := p.server.ReadDataSource(p.ctx, request)
		if err != nil {
			p.t.Error(err)
			return
		}
		for _, d := range response.Diagnostics {
			p.t.Error(describe(d))
		}
	}
}

// auditAddresses are the requests of an audit.
func auditAddresses(s service, agents int) []string {
	urls := []string{"/v1/workspaces/larkspur", "/v1/workspaces/larkspur/members", "/v1/agents"}
	for i := range agents {
		url := fmt.Sprintf("/v1/agents/agt_gen%06d", i)
		urls = append(urls, url, url+"/analytics/stats?timeFilter=last30Days")
	}
	for i := range urls {
		urls[i] = s.BaseURL + urls[i]
	}
	return urls
}

// fetchAll is the floor of an audit.
func fetchAll(b *testing.B, urls []string) {
	var group errgroup.Group
	group.SetLimit(16)
	for _, url := range urls {
		group.Go(func() error {
			fetch(b, url)
			return nil
		})
	}
	_ = group.Wait()
}

// compare runs a read and its floor in turn, and reports the means and what
// each allocates. The limit is the ratio to hold.
func compare(b *testing.B, read, floor func(), limit float64) {
	b.Helper()
	read()
	floor()
	var reads, floors measured
	for b.Loop() {
		floors.add(floor)
		reads.add(read)
	}
	b.ReportMetric(0, "ns/op") // The sum of both sides is meaningless.
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

// floorClient keeps its connections, as the provider does.
var floorClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

// fetch is the floor of a read.
func fetch(b *testing.B, url string) {
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	if err != nil {
		b.Error(err)
		return
	}
	request.Header.Set("Authorization", "Bearer "+devserver.TokenWrite)
	response, err := floorClient.Do(request)
	if err != nil {
		b.Error(err)
		return
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Error(err)
		return
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		b.Error(err)
	}
}
