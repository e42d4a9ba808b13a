// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command demo runs two examples with Terraform or OpenTofu against the development
// server, which it starts on a free loopback port. It removes everything that it
// creates but dist/results.
package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// results is the directory for what is too long for a terminal.
const results = "dist/results"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if err := os.MkdirAll(results, 0o750); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "convo-demo-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	terraform, err := cli.Find()
	if err != nil {
		return err
	}
	_, version, err := cli.Version(ctx, terraform)
	if err != nil {
		return err
	}
	fmt.Println("\n==> Building the provider ...")
	scratch, err := cli.NewScratch(ctx, terraform, dir)
	if err != nil {
		return err
	}
	d := &demo{scratch: scratch, dir: dir}
	defer d.serve(devserver.DefaultSeed()).Close()
	fmt.Printf("\n==> The development server, a local implementation of the API, listens on %s.\n", d.baseURL)

	fmt.Println("\n==> examples/complete runs all six API operations, and its second plan has no changes. This is one of its outputs:")
	output, err := d.run(ctx, "complete", "init", "apply -auto-approve", "plan -detailed-exitcode", "output locked_agents")
	if err != nil {
		return err
	}
	fmt.Print("\nlocked_agents = " + output)
	if err := d.keep(ctx, "complete", "output", "outputs.txt", "all outputs of examples/complete"); err != nil {
		return err
	}
	if number := version.Segments(); number[0] == 1 && number[1] < 11 {
		fmt.Println("\n==> Skipped examples/audit-in-ci, which requires Terraform 1.11 or later, or OpenTofu 1.11 or later.")
	} else if err := d.audit(ctx); err != nil {
		return err
	}
	fmt.Printf("\n==> Look at the results, the reports in a Markdown preview:\n\n%s", d.kept)
	fmt.Println("\n==> Next, run a plan of your own, first without an account and then with your service: docs/guides/get-started.md")
	return nil
}

// demo runs copies of examples.
type demo struct {
	scratch  *cli.Scratch
	dir      string // contains the copies
	baseURL  string
	accepted string // the variable of the example
	kept     string // lists the results
}

// keep writes what a command prints to a file of the results.
func (d *demo) keep(ctx context.Context, example, command, file, description string) error {
	output, err := d.run(ctx, example, command)
	if err != nil {
		return err
	}
	path := filepath.Join(results, file)
	d.kept += fmt.Sprintf("%-30s %s\n", path, description)
	return os.WriteFile(path, []byte(output), 0o600)
}

// serve serves data on a free loopback port. The caller closes the server.
func (d *demo) serve(seed devserver.Seed) *httptest.Server {
	server := httptest.NewServer(http.StripPrefix("/api", devserver.New(seed)))
	d.baseURL = server.URL + "/api"
	return server
}

// run runs commands of the CLI in the copy of an example, until one fails, and returns
// what the last one prints.
func (d *demo) run(ctx context.Context, example string, commands ...string) (string, error) {
	dir := filepath.Join(d.dir, example)
	_ = os.CopyFS(dir, os.DirFS(filepath.Join("examples", example))) // It fails if there is a copy.
	variables := []string{
		"CONVO_BASE_URL=" + d.baseURL,
		"CONVO_TOKEN=" + devserver.TokenWrite,
		"TF_VAR_accepted={" + d.accepted + "}",
	}
	var output bytes.Buffer
	d.scratch.Stdout = &output
	d.scratch.Stderr = &output
	for _, command := range commands {
		output.Reset()
		arguments := append(strings.Fields(command), "-no-color")
		if err := d.scratch.Run(ctx, dir, variables, arguments...); err != nil {
			return output.String(), fmt.Errorf("%s: %w\n%s", command, err, output.String())
		}
	}
	return output.String(), nil
}

// audit accepts the first record, and then an agent's new domain.
func (d *demo) audit(ctx context.Context) error {
	fmt.Println("\n==> examples/audit-in-ci: The first plan fails, because nobody has accepted the first record:")
	if err := d.accept(ctx, "Compared with the service. Adaeze", "first-report.md", "findings, members, and agents"); err != nil {
		return err
	}
	fmt.Println("\n==> The next plan has no changes.")
	if _, err := d.run(ctx, "audit-in-ci", "plan -detailed-exitcode"); err != nil {
		return err
	}
	seed := devserver.DefaultSeed()
	i := slices.IndexFunc(seed.Agents, func(agent devserver.Agent) bool { return agent.ID == "agt_returns" })
	definition := &seed.Agents[i].Definition
	*definition = bytes.Replace(
		*definition,
		[]byte(`"chat.larkspur-bicycles.example"`),
		[]byte(`"returns.example"`),
		1,
	)
	defer d.serve(seed).Close()
	fmt.Println("\n==> Someone changes the domain of the agent agt_returns. Each plan fails until the change is undone or accepted:")
	return d.accept(ctx, "New domain. Adaeze", "second-report.md", "the change of the domain, and the reason")
}

// accept runs a plan that fails, and an apply that accepts the key in its error. It keeps
// the report.
func (d *demo) accept(ctx context.Context, reason, file, description string) error {
	// The key shows that the plan failed.
	output, _ := d.run(ctx, "audit-in-ci", "init", "plan -input=false")
	_, message, _ := strings.Cut(output, "\nError: ")
	key := regexp.MustCompile(`(?m)^\S+/[a-z2-7]{24}$`).FindString(message)
	if key == "" {
		return fmt.Errorf("the plan did not fail with a key:\n%s", output)
	}
	fmt.Print("\nError: " + message)
	d.accepted = fmt.Sprintf("%q=%q", key, reason)
	fmt.Println("\n==> The demo runs this command, which accepts this key, and no other, and records the audit:")
	fmt.Printf("\nterraform apply -var 'accepted={%s}'\n", d.accepted)
	defer func() { d.accepted = "" }()
	if _, err := d.run(ctx, "audit-in-ci", "apply -auto-approve"); err != nil {
		return err
	}
	return d.keep(ctx, "audit-in-ci", "output -raw report", file, description)
}
