// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command demo runs examples with Terraform or OpenTofu against the development
// server, which it starts on a free loopback port. It removes everything that it
// creates.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// step is an example that the demo applies.
type step struct {
	directory string
	text      string
	commands  []string // after init and apply. What the last one prints is shown.
}

var steps = []step{
	{
		"examples/complete",
		"This example runs all six API operations, and its second plan has no changes. These are the outputs:",
		[]string{"plan -detailed-exitcode", "output"},
	},
	{
		"examples/audit-in-ci",
		"The audit of the workspace returns this report:",
		[]string{"output -raw report"},
	},
	{
		"examples/functions/flow_diagram",
		"The function draws a conversation flow as Mermaid text, which GitHub and GitLab render:",
		[]string{"output -raw diagram"},
	},
}

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

	terraform, err := cli.Find()
	if err != nil {
		return err
	}
	fmt.Println("\n==> Building the provider ...")
	scratch, err := cli.NewScratch(ctx, terraform, dir)
	if err != nil {
		return err
	}
	server := httptest.NewServer(http.StripPrefix("/api", devserver.New(devserver.DefaultSeed())))
	defer server.Close()
	fmt.Printf("\n==> The development server, a local implementation of the API, listens on %s/api.\n", server.URL)
	variables := []string{"CONVO_BASE_URL=" + server.URL + "/api", "CONVO_TOKEN=" + devserver.TokenWrite}
	for _, step := range steps {
		fmt.Printf("\n==> %s: %s\n", step.directory, step.text)
		err := step.run(ctx, scratch, filepath.Join(dir, filepath.Base(step.directory)), variables)
		// "Unsupported Terraform Core version", because of an example's required_version.
		if err != nil && strings.Contains(err.Error(), "Core version") {
			fmt.Println("==> This CLI does not support provider functions, which require Terraform 1.8 or later, or OpenTofu 1.8 or later.")
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// run runs the commands in workDir, a copy of the example. Only the last command
// shows what it prints, unless one fails.
func (s step) run(ctx context.Context, scratch *cli.Scratch, workDir string, variables []string) error {
	if err := os.CopyFS(workDir, os.DirFS(filepath.FromSlash(s.directory))); err != nil {
		return err
	}
	commands := append([]string{"init -input=false", "apply -input=false -auto-approve"}, s.commands...)
	for i, command := range commands {
		var output bytes.Buffer
		scratch.Stdout, scratch.Stderr = &output, &output
		if i == len(commands)-1 {
			scratch.Stdout, scratch.Stderr = os.Stdout, os.Stderr
		}
		arguments := append(strings.Fields(command), "-no-color")
		if err := scratch.Run(ctx, workDir, variables, arguments...); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", scratch.CLI, command, err, output.String())
		}
	}
	return nil
}
