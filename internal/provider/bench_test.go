// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/sync/errgroup"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// The benchmarks drive the provider through its protocol server and compare
// each read with its floor: the same responses fetched and decoded into any,
// which is the least that any reader of them does. Both sides run in turn, in
// one process with the service, so that the ratio holds on any machine. A
// benchmark fails above its limit, which leaves room for noise.

// BenchmarkReadAgents reads a list of 10,000 agents.
func BenchmarkReadAgents(b *testing.B) {
	s := startService(b, withSeed(devserver.ManyAgents(10_000)))
	read := dataSource(configuredProvider(b, s), "convo_agents", object{})
	compare(b, read, func() { fetch(b, s.BaseURL+"/v1/agents") }, 1.3)
}

// BenchmarkReadLargeAgent reads a definition of 1.5 MB.
func BenchmarkReadLargeAgent(b *testing.B) {
	seed := devserver.DefaultSeed()
	agent := devserver.LargeAgent("agt_large", 1_500_000)
	agent.WorkspaceID = seed.Workspaces[0].ID
	seed.Agents = append(seed.Agents, agent)
	s := startService(b, withSeed(seed))
	read := dataSource(configuredProvider(b, s), "convo_agent", object{"agent_id": "agt_large"})
	compare(b, read, func() { fetch(b, s.BaseURL+"/v1/agents/agt_large") }, 1.5)
}

// BenchmarkAudit audits 1,000 agents with statistics, 16 requests in flight. Without the latency of a
// service, digests take as long as everything else.
func BenchmarkAudit(b *testing.B) {
	s := startService(b, withSeed(devserver.ManyAgents(1000)))
	read := dataSource(configuredProvider(b, s), "convo_workspace_audit", object{"workspace_id": "larkspur", "stats_periods": list{"last30Days"}})
	compare(b, read, func() { fetchAll(b, auditAddresses(s, 1000)) }, 2.5)
}

// compare runs a function and its floor in turn, after a first run of each that does not
// count. It reports the ratio of the shortest times of both, because other programs can
// only lengthen a run, and fails the benchmark if the ratio is above the limit.
func compare(b *testing.B, run, floor func(), limit float64) {
	b.Helper()
	run()
	floor()
	var runs, floors []float64
	for b.Loop() {
		floors = append(floors, milliseconds(floor))
		runs = append(runs, milliseconds(run))
	}
	shortest, shortestFloor := slices.Min(runs), slices.Min(floors)
	ratio := shortest / shortestFloor
	b.ReportMetric(0, "ns/op") // The sum of both sides is meaningless.
	b.ReportMetric(shortestFloor, "floor-ms")
	b.ReportMetric(shortest, "run-ms")
	b.ReportMetric(ratio, "times-floor")
	b.ReportMetric(limit, "times-floor-allowed")
	if ratio > limit {
		b.Errorf("took %.2f times as long as the floor, but at most %.2f times is allowed", ratio, limit)
	}
}

// milliseconds returns how long a run takes.
func milliseconds(run func()) float64 {
	runtime.GC() // What the other side left is not to be swept at this one's cost.
	start := time.Now()
	run()
	return time.Since(start).Seconds() * 1000
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
