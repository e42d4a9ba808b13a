// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package cli_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
)

const (
	latency     = 25 * time.Millisecond // of each response, as from a remote service
	connections = 16                    // the provider's default
)

// BenchmarkPlan times whole plans with the installed CLI, including the start of
// the CLI and of the provider. It compares an audit with the theoretical minimum:
// a plan of nothing, and the time that the server takes for the requests if all
// connections are always busy.
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
			p := newPlan(b, scratch, devservertest.ManyAgents(agents), audit)
			var took time.Duration
			for b.Loop() {
				took += p.run(b, "plan")
			}
			least += time.Duration(p.served.Load()) / connections / time.Duration(b.N)
			b.ReportMetric(least.Seconds(), "least-s/op")
			b.ReportMetric(took.Seconds()/float64(b.N)/least.Seconds(), "times-least")
		})
	}
	// A data source for each agent, instead of one for all of them.
	b.Run("for_each of 1000 agents", func(b *testing.B) {
		p := newPlan(b, scratch, devservertest.ManyAgents(1000), auditByForEach)
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
	served    atomic.Int64 // nanoseconds that the server took for all requests
}

func newPlan(b *testing.B, scratch *cli.Scratch, seed devserver.Seed, configuration string) *plan {
	b.Helper()
	p := &plan{scratch: scratch, dir: b.TempDir()}
	handler := devserver.New(seed)
	handler.Latency = latency
	server := httptest.NewServer(http.StripPrefix("/api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now() // The latency is measured, because a sleep takes up to 2 ms longer.
		handler.ServeHTTP(w, r)
		p.served.Add(int64(time.Since(begin)))
	})))
	b.Cleanup(server.Close)
	p.variables = []string{"CONVO_BASE_URL=" + server.URL + "/api", "CONVO_TOKEN=" + devserver.TokenWrite}
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
	begin := time.Now()
	if err := p.scratch.Run(b.Context(), p.dir, p.variables, command, "-input=false", "-no-color"); err != nil {
		b.Fatalf("%s: %v\n%s", command, err, &output)
	}
	return time.Since(begin)
}
