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
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// step is an example that the demo applies.
type step struct {
	directory string
	// minor is the minor version of the first Terraform or OpenTofu 1 that supports the example.
	minor int
	text  string
	// commands are run after init and apply. What the last one prints is shown.
	commands []string
	then     func(context.Context, *example) error
}

var steps = []step{
	{
		"examples/complete", 5,
		"This example runs all six API operations, and its second plan has no changes. These are the outputs:",
		[]string{"plan -detailed-exitcode", "output"}, nil,
	},
	{
		"examples/functions/flow_diagram", 8,
		"The function draws a conversation flow as Mermaid text, which GitHub and GitLab render:",
		[]string{"output -raw diagram"}, nil,
	},
	{
		"examples/audit-in-ci", 11,
		"The first plan fails, because nobody has confirmed the access that it would record:",
		nil, audit,
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

// example is a copy of an example in a directory of its own.
type example struct {
	scratch   *cli.Scratch
	dir       string
	variables []string
	// service is the development server, which a step can replace.
	service *atomic.Pointer[devserver.Server]
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
	service := &atomic.Pointer[devserver.Server]{}
	service.Store(devserver.New(devserver.DefaultSeed()))
	server := httptest.NewServer(http.StripPrefix("/api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		service.Load().ServeHTTP(w, r)
	})))
	defer server.Close()
	fmt.Printf("\n==> The development server, a local implementation of the API, listens on %s/api.\n", server.URL)
	variables := []string{"CONVO_BASE_URL=" + server.URL + "/api", "CONVO_TOKEN=" + devserver.TokenWrite}
	_, version, err := cli.Version(ctx, terraform)
	if err != nil {
		return err
	}
	minor := version.Segments()[1]
	for _, step := range steps {
		if minor < step.minor {
			fmt.Printf("\n==> Skipped %s, which requires Terraform 1.%d or later, or OpenTofu 1.%d or later.\n", step.directory, step.minor, step.minor)
			continue
		}
		fmt.Printf("\n==> %s: %s\n", step.directory, step.text)
		e := &example{scratch, filepath.Join(dir, filepath.Base(step.directory)), variables, service}
		if err := step.run(ctx, e); err != nil {
			return err
		}
	}
	fmt.Println("\n==> Next, run a plan of your own, first without an account and then with your service: docs/guides/get-started.md")
	return nil
}

// run runs the commands. Only the last command shows what it prints.
func (s step) run(ctx context.Context, e *example) error {
	if err := os.CopyFS(e.dir, os.DirFS(filepath.FromSlash(s.directory))); err != nil {
		return err
	}
	if _, err := e.command(ctx, "init", "-input=false"); err != nil {
		return err
	}
	if s.then != nil {
		return s.then(ctx, e)
	}
	for _, command := range append([]string{"apply -input=false -auto-approve"}, s.commands...) {
		output, err := e.command(ctx, strings.Fields(command)...)
		if err != nil {
			return err
		}
		if command == s.commands[len(s.commands)-1] {
			fmt.Print(output)
		}
	}
	return nil
}

// command runs the CLI and returns what it prints.
func (e *example) command(ctx context.Context, arguments ...string) (string, error) {
	var output bytes.Buffer
	e.scratch.Stdout, e.scratch.Stderr = &output, &output
	if err := e.scratch.Run(ctx, e.dir, e.variables, append(arguments, "-no-color")...); err != nil {
		return output.String(), fmt.Errorf("%s %s: %w\n%s", e.scratch.CLI, strings.Join(arguments, " "), err, output.String())
	}
	return output.String(), nil
}

// audit confirms the first record, and then an agent's new domain.
func audit(ctx context.Context, e *example) error {
	report, err := e.accept(ctx, "Compared with the editor")
	if err != nil {
		return err
	}
	fmt.Println("\n==> The next plan has no changes. This is the report:\n\n" + report)
	if _, err := e.command(ctx, "plan", "-input=false", "-detailed-exitcode"); err != nil {
		return err
	}
	seed := devserver.DefaultSeed()
	for i, agent := range seed.Agents {
		if agent.ID == "agt_returns" {
			seed.Agents[i].Definition = bytes.Replace(agent.Definition, []byte(`"chat.larkspur-bicycles.example"`), []byte(`"returns.example"`), 1)
		}
	}
	e.service.Store(devserver.New(seed))
	fmt.Println("\n==> Someone changes the domain of the agent agt_returns. Each plan fails until the change is undone or accepted:")
	if report, err = e.accept(ctx, "New domain"); err != nil {
		return err
	}
	fmt.Println("\n==> The report contains the change and the reason:")
	for section := range strings.SplitSeq(report, "\n## ") {
		if strings.HasPrefix(section, "Changes of access\n") {
			fmt.Println("\n## " + strings.TrimSpace(section))
		}
	}
	return nil
}

// accept runs a plan that fails, and an apply that accepts the key in its error. It
// returns the report.
func (e *example) accept(ctx context.Context, reason string) (string, error) {
	output, err := e.command(ctx, "plan", "-input=false")
	_, message, found := strings.Cut(output, "\nError: ")
	key := regexp.MustCompile(`(?m)^\S+/[a-z2-7]{24}$`).FindString(message)
	if err == nil || !found || key == "" {
		return "", fmt.Errorf("the plan did not fail with a key:\n%s", output)
	}
	fmt.Print("\nError: " + message)
	accepted := fmt.Sprintf(`accepted={%q="%s"}`, key, reason)
	fmt.Printf("\n==> This command accepts this key, and no other, and records the audit:\n\nterraform apply -var '%s'\n", accepted)
	if _, err := e.command(ctx, "apply", "-input=false", "-auto-approve", "-var", accepted); err != nil {
		return "", err
	}
	return e.command(ctx, "output", "-raw", "report")
}
