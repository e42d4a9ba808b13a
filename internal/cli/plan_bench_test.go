// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
)

// fetchAgents makes this program fetch what an audit of that many agents reads.
const fetchAgents = "CONVO_FETCH_AGENTS"

// TestMain is a client in a process of its own where the benchmark starts it. A
// client in the server's process takes less time than any provider could.
func TestMain(m *testing.M) {
	agents, err := strconv.Atoi(os.Getenv(fetchAgents))
	if err != nil {
		os.Exit(m.Run())
	}
	if err := fetchAudit(context.Background(), os.Getenv("CONVO_BASE_URL"), agents); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// BenchmarkPlan times whole plans with the installed CLI, including the start of
// the CLI and of the provider.
func BenchmarkPlan(b *testing.B) {
	path, err := cli.Find()
	if err != nil {
		b.Fatal(err)
	}
	scratch, err := cli.NewScratch(b.Context(), path, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	large := devserver.DefaultSeed()
	large.Agents = append(large.Agents, devservertest.LargeAgent("agt_large", 1_500_000))
	benchmark := func(name string, seed devserver.Seed, configuration string) {
		b.Run(name, func(b *testing.B) {
			p := newPlan(b, scratch, seed, configuration)
			for b.Loop() {
				p.run(b, "plan")
			}
		})
	}
	benchmark("five small reads", devserver.DefaultSeed(), fiveReads)
	benchmark("list of 10000 agents", devservertest.ManyAgents(10_000), `data "convo_agents" "all" {}`)
	benchmark("definition of 1.5 MB", large, "data \"convo_agent\" \"a\" {\n  agent_id = \"agt_large\"\n}\n")
	// One data source for all agents, compared with one for each.
	for _, agents := range []int{10, 30, 100, 300, 1000} {
		seed := devservertest.ManyAgents(agents)
		benchmark(fmt.Sprintf("audit of %d agents", agents), seed, audit)
		benchmark(fmt.Sprintf("for_each of %d agents", agents), seed, auditByForEach)
	}
	// A large audit, compared with the theoretical minimum.
	for _, agents := range []int{10_000, 40_000} {
		b.Run(fmt.Sprintf("audit of %d agents", agents), func(b *testing.B) {
			p := newPlan(b, scratch, devservertest.ManyAgents(agents), audit)
			var plans, floors time.Duration
			for b.Loop() {
				start := time.Now()
				p.run(b, "plan")
				plans += time.Since(start)
				b.StopTimer()
				floors += p.fetch(b, agents)
				b.StartTimer()
			}
			b.ReportMetric(floors.Seconds()/float64(b.N), "floor-s/op")
			b.ReportMetric(plans.Seconds()/floors.Seconds(), "times-floor")
		})
	}
}

const fiveReads = `
data "convo_workspace" "a" {
  workspace_id = "larkspur"
}
data "convo_members" "a" {
  workspace_id = "larkspur"
}
data "convo_agents" "a" {}
data "convo_agent" "a" {
  agent_id = "agt_returns"
}
data "convo_agent_stats" "a" {
  agent_id = "agt_returns"
  period   = "last30Days"
}
`

// Both audits have the same outputs.
const audit = `
data "convo_workspace_audit" "a" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
}
output "published" {
  value = [for id, agent in data.convo_workspace_audit.a.agents : id if agent.is_published == true]
}
output "starts" {
  value = sum([for agent in data.convo_workspace_audit.a.agents : agent.stats["last30Days"].total_starts])
}
`

const auditByForEach = `
data "convo_workspace" "a" {
  workspace_id = "larkspur"
}
data "convo_members" "a" {
  workspace_id = "larkspur"
}
data "convo_agents" "a" {}
data "convo_agent" "a" {
  for_each = toset(data.convo_agents.a.agents[*].id)
  agent_id = each.key
}
data "convo_agent_stats" "a" {
  for_each = toset(data.convo_agents.a.agents[*].id)
  agent_id = each.key
  period   = "last30Days"
}
output "published" {
  value = [for id, agent in data.convo_agent.a : id if try(agent.exposure.state.published, false)]
}
output "starts" {
  value = sum([for stats in data.convo_agent_stats.a : stats.total_starts])
}
`

// plan is a configuration in a directory of its own, with its server.
type plan struct {
	scratch   *cli.Scratch
	dir       string
	variables []string
}

func newPlan(b *testing.B, scratch *cli.Scratch, seed devserver.Seed, configuration string) *plan {
	b.Helper()
	server := httptest.NewServer(http.StripPrefix("/api", devserver.New(seed)))
	b.Cleanup(server.Close)
	p := &plan{scratch: scratch, dir: b.TempDir(), variables: []string{"CONVO_BASE_URL=" + server.URL + "/api", "CONVO_TOKEN=" + devserver.TokenWrite}}
	const header = "terraform {\n  required_providers {\n    convo = {\n      source = \"convo/convo\"\n    }\n  }\n}\n"
	if err := os.WriteFile(filepath.Join(p.dir, "main.tf"), []byte(header+configuration), 0o600); err != nil {
		b.Fatal(err)
	}
	p.run(b, "init")
	return p
}

func (p *plan) run(b *testing.B, command string) {
	b.Helper()
	var output bytes.Buffer
	p.scratch.Stdout, p.scratch.Stderr = &output, &output
	if err := p.scratch.Run(b.Context(), p.dir, p.variables, command, "-input=false", "-no-color"); err != nil {
		b.Fatalf("%s: %v\n%s", command, err, &output)
	}
}

// fetch returns the time of [fetchAudit] in a process of its own.
func (p *plan) fetch(b *testing.B, agents int) time.Duration {
	b.Helper()
	command := exec.CommandContext(b.Context(), os.Args[0])
	command.Env = append(append(os.Environ(), p.variables...), fetchAgents+"="+strconv.Itoa(agents))
	start := time.Now()
	if output, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, output)
	}
	return time.Since(start)
}

// fetchAudit fetches and decodes everything that an audit with one period reads,
// with the provider's default concurrency.
func fetchAudit(ctx context.Context, baseURL string, agents int) error {
	const concurrency = 16
	paths := []string{"/v1/workspaces/larkspur", "/v1/workspaces/larkspur/members", "/v1/agents"}
	for i := range agents {
		path := fmt.Sprintf("/v1/agents/agt_gen%06d", i)
		paths = append(paths, path, path+"/analytics/stats?timeFilter=last30Days")
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: concurrency}}
	defer client.CloseIdleConnections()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for _, path := range paths {
		group.Go(func() error { return fetch(ctx, client, baseURL+path) })
	}
	return group.Wait()
}

func fetch(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+devserver.TokenWrite)
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned %s", url, response.Status)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var value any
	return json.Unmarshal(body, &value)
}
