// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command benchplan times whole plans of the installed Terraform or OpenTofu
// against the reference service, and prints the medians. It compares a
// workspace audit in one read with one data source instance per agent.
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
	runs := flag.Int("runs", 3, "run each plan `N` times and print the median")
	whole := flag.Bool("whole", false, "measure only large audits, compared with fetching and decoding the responses")
	fetch := flag.Int("fetch", 0, "only fetch and decode the responses for an audit of `N` agents from CONVO_BASE_URL")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if *fetch > 0 {
		err = fetchAudit(ctx, os.Getenv("CONVO_BASE_URL"), *fetch)
	} else {
		err = run(ctx, *runs, *whole)
	}
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

// auditSizes are the numbers of agents for which audits are compared.
var auditSizes = []int{10, 30, 100, 300, 1000}

// wholeSizes are the numbers of agents for which a whole plan is compared with
// fetching and decoding alone.
var wholeSizes = []int{10_000, 40_000}

// The growth of the audit's time is printed for these two.
const small, large = 100, 1000

func run(ctx context.Context, runs int, whole bool) error {
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

	fmt.Printf("Time of a complete plan with %s on %d cores (median of %d runs):\n\n", filepath.Base(path), runtime.NumCPU(), runs)
	if !whole {
		if err := b.small(ctx); err != nil {
			return err
		}
		if err := b.audits(ctx); err != nil {
			return err
		}
	}
	return b.whole(ctx)
}

// small times plans of single reads.
func (b *bench) small(ctx context.Context) error {
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
	return nil
}

// audits compares audits in one read with audits by for_each.
func (b *bench) audits(ctx context.Context) error {
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
	fmt.Printf("\nFrom %d to %d agents, the time for one read increases by a factor of %.1f.\n",
		small, large, audits[large].Seconds()/audits[small].Seconds())
	return nil
}

// whole compares plans of large audits with fetching and decoding alone.
func (b *bench) whole(ctx context.Context) error {
	fmt.Printf("\n%8s  %10s  %16s  %s\n", "agents", "whole plan", "fetch and decode", "ratio")
	for _, size := range wholeSizes {
		seed := devserver.ManyAgents(size)
		plan, floor, err := b.beside(ctx, seed, auditInOne, func(baseURL string) error { return fetchElsewhere(ctx, baseURL, size) })
		if err != nil {
			return err
		}
		fmt.Printf("%8d  %8.2f s  %14.2f s  %.2f\n", size, plan.Seconds(), floor.Seconds(), plan.Seconds()/floor.Seconds())
	}
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

// Both audits have the same outputs.
const auditInOne = `
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

type bench struct {
	scratch *cli.Scratch
	dir     string
	runs    int
	plans   int
}

// median returns the time of a plan of the configuration, including the start
// of the CLI and the provider.
func (b *bench) median(ctx context.Context, seed devserver.Seed, configuration string) (time.Duration, error) {
	plan, _, err := b.beside(ctx, seed, configuration, func(string) error { return nil })
	return plan, err
}

// beside returns the medians of a plan and of another function with the same
// service, run alternately.
func (b *bench) beside(ctx context.Context, seed devserver.Seed, configuration string, other func(baseURL string) error) (plan, floor time.Duration, err error) {
	baseURL, stop, err := devserver.New(devserver.WithSeed(seed)).Start(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer stop()

	b.plans++
	dir := filepath.Join(b.dir, fmt.Sprintf("plan-%d", b.plans))
	if err := os.Mkdir(dir, 0o750); err != nil {
		return 0, 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(header+configuration), 0o600); err != nil {
		return 0, 0, err
	}
	variables := []string{"CONVO_BASE_URL=" + baseURL, "CONVO_TOKEN=" + devserver.TokenWrite}
	if _, err := b.time(ctx, dir, variables, "init"); err != nil {
		return 0, 0, err
	}
	var plans, floors []time.Duration
	for range b.runs {
		elapsed, err := b.time(ctx, dir, variables, "plan")
		if err != nil {
			return 0, 0, err
		}
		plans = append(plans, elapsed)
		start := time.Now()
		if err := other(baseURL); err != nil {
			return 0, 0, err
		}
		floors = append(floors, time.Since(start))
	}
	slices.Sort(plans)
	slices.Sort(floors)
	return plans[len(plans)/2], floors[len(floors)/2], nil
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
