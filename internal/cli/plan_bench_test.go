// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const (
	latency     = 25 * time.Millisecond // of each response, as from a remote service
	connections = 16                    // the provider's default
)

// BenchmarkPlan times whole plans with the installed CLI, including the start of
// the CLI and of the provider. It compares an audit with the least that it could take:
// a plan of nothing, and a client that sends the same requests over as many connections
// and discards the responses.
func BenchmarkPlan(b *testing.B) {
	path, err := cli.Find()
	if err != nil {
		b.Fatal(err)
	}
	scratch, err := cli.NewScratch(b.Context(), path, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("five small reads", func(b *testing.B) {
		p := newPlan(b, scratch, devserver.DefaultSeed(), fiveReads)
		for b.Loop() {
			p.run(b, "plan")
		}
	})
	for _, agents := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprintf("audit of %d agents", agents), func(b *testing.B) {
			least := newPlan(b, scratch, devserver.DefaultSeed(), nothing).run(b, "plan")
			p := newPlan(b, scratch, devserver.ManyAgents(agents), audit)
			var took time.Duration
			for b.Loop() {
				took += p.run(b, "plan")
			}
			least += p.replay(b)
			b.ReportMetric(least.Seconds(), "least-s/op")
			b.ReportMetric(took.Seconds()/float64(b.N)/least.Seconds(), "times-least")
		})
	}
	// A data source for each agent, instead of one for all of them.
	b.Run("for_each of 1000 agents", func(b *testing.B) {
		p := newPlan(b, scratch, devserver.ManyAgents(1000), auditByForEach)
		for b.Loop() {
			p.run(b, "plan")
		}
	})
}

const nothing = `
provider "convo" {}
output "nothing" {
  value = 0
}
`

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
	url       string
	mu        sync.Mutex
	requests  []string // of the last run
}

func newPlan(b *testing.B, scratch *cli.Scratch, seed devserver.Seed, configuration string) *plan {
	b.Helper()
	p := &plan{scratch: scratch, dir: b.TempDir()}
	handler := devserver.New(seed)
	handler.Latency = latency
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.requests = append(p.requests, r.URL.RequestURI())
		p.mu.Unlock()
		http.StripPrefix("/api", handler).ServeHTTP(w, r)
	}))
	b.Cleanup(server.Close)
	p.url = server.URL
	p.variables = []string{"CONVO_BASE_URL=" + p.url + "/api", "CONVO_TOKEN=" + devserver.TokenWrite}
	const header = "terraform {\n  required_providers {\n    convo = {\n      source = \"convo/convo\"\n    }\n  }\n}\n"
	if err := os.WriteFile(filepath.Join(p.dir, "main.tf"), []byte(header+configuration), 0o600); err != nil {
		b.Fatal(err)
	}
	p.run(b, "init")
	return p
}

// run runs a command, and returns the time that it took.
func (p *plan) run(b *testing.B, command string) time.Duration {
	b.Helper()
	var output bytes.Buffer
	p.scratch.Stdout, p.scratch.Stderr = &output, &output
	p.requests = nil
	begin := time.Now()
	if err := p.scratch.Run(b.Context(), p.dir, p.variables, command, "-input=false", "-no-color"); err != nil {
		b.Fatalf("%s: %v\n%s", command, err, &output)
	}
	return time.Since(begin)
}

// replay sends the requests of the last run again, and returns the time that it took.
func (p *plan) replay(b *testing.B) time.Duration {
	b.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: connections}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var group errgroup.Group
	group.SetLimit(connections)
	begin := time.Now()
	for _, uri := range slices.Clone(p.requests) {
		group.Go(func() error {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, p.url+uri, nil)
			if err != nil {
				return err
			}
			req.Header.Set("Authorization", "Bearer "+devserver.TokenWrite)
			resp, err := client.Do(req)
			if err != nil {
				return err
			}
			defer func() { _ = resp.Body.Close() }()
			_, err = io.Copy(io.Discard, resp.Body)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}
