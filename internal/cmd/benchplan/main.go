// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command benchplan times whole plans of the installed Terraform or OpenTofu
// against the reference service, and prints a table of medians: how much a
// workspace audit in one read saves over one data source instance per agent.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func main() {
	runs := flag.Int("runs", 3, "how often each plan is run; the median is printed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *runs)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchplan:", err)
		os.Exit(1)
	}
}

const header = `terraform {
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}
`

// auditSizes are the numbers of agents that audits are compared for.
var auditSizes = []int{10, 30, 100, 300, 1000}

// The growth of the audit is told between these two.
const small, large = 100, 1000

func run(ctx context.Context, runs int) error {
	dir, err := os.MkdirTemp("", "convo-benchplan-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path, err := cli.Find(ctx, os.Stderr)
	if err != nil {
		return err
	}
	scratch, err := cli.NewScratch(ctx, path, dir)
	if err != nil {
		return err
	}
	b := &bench{scratch: scratch, dir: dir, runs: runs}

	fmt.Printf("Plans with %s on %d cores, medians of %d:\n\n", filepath.Base(path), runtime.NumCPU(), runs)
	seed := devserver.DefaultSeed()
	definition := devserver.LargeAgent("agt_large", 1_500_000)
	definition.WorkspaceID = seed.Workspaces[0].ID
	seed.Agents = append(seed.Agents, definition)
	for _, plan := range []struct {
		name, configuration string
		seed                devserver.Seed
	}{
		{"five small reads", fiveReads, devserver.DefaultSeed()},
		{"a list of 10,000 agents", `data "convo_agents" "all" {}`, devserver.ManyAgents(10_000)},
		{"a definition of 1.5 MB", "data \"convo_agent\" \"a\" {\n  agent_id = \"agt_large\"\n}\n", seed},
	} {
		median, err := b.median(ctx, plan.seed, plan.configuration)
		if err != nil {
			return fmt.Errorf("%s: %w", plan.name, err)
		}
		fmt.Printf("%-24s %6.2f s\n", plan.name, median.Seconds())
	}

	fmt.Printf("\n%8s  %10s  %10s  %s\n", "agents", "one read", "for_each", "one read / for_each")
	audits := map[int]time.Duration{}
	for _, size := range auditSizes {
		seed := devserver.ManyAgents(size)
		audit, err := b.median(ctx, seed, auditInOne)
		if err != nil {
			return err
		}
		each, err := b.median(ctx, seed, auditByForEach)
		if err != nil {
			return err
		}
		audits[size] = audit
		fmt.Printf("%8d  %8.2f s  %8.2f s  %.2f\n", size, audit.Seconds(), each.Seconds(), audit.Seconds()/each.Seconds())
	}
	fmt.Printf("\nFrom %d to %d agents the one read takes %.1f times as long.\n",
		small, large, audits[large].Seconds()/audits[small].Seconds())
	return nil
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

// Both audits end in the same outputs.
const auditInOne = `
data "convo_workspace_audit" "a" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
}
output "published" {
  value = [for id, agent in data.convo_workspace_audit.a.agents : id if try(agent.state.published, false)]
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

type bench struct {
	scratch *cli.Scratch
	dir     string
	runs    int
	plans   int
}

// median returns how long a plan of the configuration takes, start-up of the
// CLI and the provider included.
func (b *bench) median(ctx context.Context, seed devserver.Seed, configuration string) (time.Duration, error) {
	address, stop, err := devserver.New(devserver.WithSeed(seed)).Start(ctx)
	if err != nil {
		return 0, err
	}
	defer stop()

	b.plans++
	dir := filepath.Join(b.dir, fmt.Sprintf("plan-%d", b.plans))
	if err := os.Mkdir(dir, 0o750); err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(header+configuration), 0o600); err != nil {
		return 0, err
	}
	variables := []string{"CONVO_BASE_URL=" + address, "CONVO_TOKEN=" + devserver.TokenWrite}
	if _, err := b.time(ctx, dir, variables, "init"); err != nil {
		return 0, err
	}
	var times []time.Duration
	for range b.runs {
		elapsed, err := b.time(ctx, dir, variables, "plan")
		if err != nil {
			return 0, err
		}
		times = append(times, elapsed)
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

func (b *bench) time(ctx context.Context, dir string, variables []string, command string) (time.Duration, error) {
	var output bytes.Buffer
	b.scratch.Stdout, b.scratch.Stderr = &output, &output
	start := time.Now()
	err := b.scratch.Run(ctx, dir, variables, command, "-input=false", "-no-color")
	elapsed := time.Since(start)
	if ctx.Err() != nil {
		return 0, errors.New("interrupted")
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", command, err, output.String())
	}
	return elapsed, nil
}
