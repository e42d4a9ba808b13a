// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command demo applies examples/complete with Terraform or OpenTofu against the
// development server, which it starts on a free loopback port. It removes
// everything that it creates, except for OpenTofu if it had to build it.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "convo-demo-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()

	terraform, err := cli.Find(ctx, os.Stderr)
	if err != nil {
		return err
	}
	say("Building the provider ...")
	scratch, err := cli.NewScratch(ctx, terraform, dir)
	if err != nil {
		return err
	}
	baseURL, stop, err := devserver.New().Start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	say("The development server, a local implementation of the API, listens on %s.", baseURL)
	d := &demo{ctx: ctx, scratch: scratch, cli: filepath.Base(terraform), variables: []string{
		"CONVO_BASE_URL=" + baseURL, "CONVO_TOKEN=" + devserver.TokenWrite,
	}}
	if err := d.complete(); err != nil {
		return err
	}
	if err := d.audit(); err != nil {
		return err
	}
	return d.diagram(dir)
}

// demo runs configurations with the CLI against the development server.
type demo struct {
	ctx       context.Context
	scratch   *cli.Scratch
	cli       string
	variables []string
}

// complete applies the example that uses all operations.
func (d *demo) complete() error {
	directory, err := d.scratch.Copy(filepath.Join("examples", "complete"))
	if err != nil {
		return err
	}
	say("examples/complete: %s apply runs all six API operations, and the second plan has no changes. These are the outputs:", d.cli)
	return d.run(directory, []string{"init"}, []string{"apply", "-auto-approve"}, []string{"plan", "-detailed-exitcode"}, []string{"output"})
}

// audit prints the report of the audit example.
func (d *demo) audit() error {
	directory, err := d.scratch.Copy(filepath.Join("examples", "audit-ci"))
	if err != nil {
		return err
	}
	say("examples/audit-ci: The audit of the workspace returns this report:")
	return withFunctions(d.run(directory, []string{"init"}, []string{"apply", "-auto-approve"}, []string{"output", "-raw", "report"}))
}

const diagram = `
terraform {
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}
data "convo_agent" "orders" {
  agent_id                = "agt_orders"
  include_definition_json = true
}
output "diagram" {
  value = provider::convo::flow_diagram(data.convo_agent.orders.definition_json)
}
`

// diagram prints the diagram of an agent that has an unreachable node.
func (d *demo) diagram(dir string) error {
	directory := filepath.Join(dir, "diagram")
	if err := os.Mkdir(directory, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte(diagram), 0o600); err != nil {
		return err
	}
	say("flow_diagram draws the conversation flow of agt_orders as Mermaid text, which GitHub and GitLab render:")
	return withFunctions(d.run(directory, []string{"init"}, []string{"apply", "-auto-approve"}, []string{"output", "-raw", "diagram"}))
}

// withFunctions returns no error if the CLI does not support functions.
func withFunctions(err error) error {
	if err != nil && strings.Contains(err.Error(), "provider::convo") {
		say("This CLI does not support provider functions, which require Terraform 1.8 or later, or OpenTofu 1.8 or later.")
		return nil
	}
	return err
}

// run runs commands of the CLI in a directory. Only the last one shows what it
// prints, unless one fails.
func (d *demo) run(directory string, commands ...[]string) error {
	for i, arguments := range commands {
		var output bytes.Buffer
		d.scratch.Stdout, d.scratch.Stderr = &output, &output
		if i == len(commands)-1 {
			d.scratch.Stdout, d.scratch.Stderr = os.Stdout, os.Stderr
		}
		if !isTerminal(os.Stdout) {
			arguments = append(arguments, "-no-color")
		}
		if arguments[0] != "output" {
			arguments = append(arguments, "-input=false")
		}
		if err := d.scratch.Run(d.ctx, directory, d.variables, arguments...); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", d.cli, arguments[0], err, output.String())
		}
	}
	return nil
}

func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func say(format string, arguments ...any) {
	fmt.Printf("\n==> "+format+"\n", arguments...)
}
