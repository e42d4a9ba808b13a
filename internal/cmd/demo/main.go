// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command demo applies examples/complete with Terraform or OpenTofu against the
// reference service, which it starts on a free loopback port. It removes
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
	configuration, err := scratch.Copy(filepath.Join("examples", "complete"))
	if err != nil {
		return err
	}

	baseURL, stop, err := devserver.New().Start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	say("The reference service listens on %s.", baseURL)
	variables := []string{"CONVO_BASE_URL=" + baseURL, "CONVO_TOKEN=" + devserver.TokenWrite}
	for _, arguments := range [][]string{
		{"init"},
		{"apply", "-auto-approve"},
		{"plan", "-detailed-exitcode"},
	} {
		// Only the output of apply is of interest, unless a command fails.
		var output bytes.Buffer
		scratch.Stdout, scratch.Stderr = os.Stdout, os.Stderr
		if arguments[0] != "apply" {
			scratch.Stdout, scratch.Stderr = &output, &output
		}
		command := filepath.Base(terraform) + " " + arguments[0]
		say("%s", command)
		if !isTerminal(os.Stdout) {
			arguments = append(arguments, "-no-color")
		}
		if err := scratch.Run(ctx, configuration, variables, append(arguments, "-input=false")...); err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, output.String())
		}
	}
	say("All six operations ran, and a second plan changes nothing. The configuration is examples/complete.")
	return nil
}

func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func say(format string, arguments ...any) {
	fmt.Printf("\n==> "+format+"\n", arguments...)
}
