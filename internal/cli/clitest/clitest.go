// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package clitest makes tests that run the CLI faster.
package clitest

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

// Attach starts the built provider with variables of the form "NAME=value" until the
// test ends, and returns the variable that makes the CLIs use it. Starting a provider,
// up to four times in each run, takes most of the time of a short run.
func Attach(t testing.TB, scratch *cli.Scratch, variables ...string) string {
	t.Helper()
	provider := exec.CommandContext(t.Context(), scratch.Provider(), "-debug")
	provider.Env = slices.Concat(os.Environ(), variables)
	provider.Cancel = func() error { return provider.Process.Signal(os.Interrupt) } // It removes its socket.
	provider.WaitDelay = 10 * time.Second
	stdout, err := provider.StdoutPipe()
	if err == nil {
		err = provider.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = provider.Wait() })
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if _, addresses, ok := strings.Cut(lines.Text(), "TF_REATTACH_PROVIDERS='{"); ok {
			// OpenTofu completes the source of a provider with another registry.
			address := strings.TrimSuffix(addresses, "}'")
			forOpenTofu := strings.Replace(address, "registry.terraform.io", "registry.opentofu.org", 1)
			return "TF_REATTACH_PROVIDERS={" + address + "," + forOpenTofu + "}"
		}
	}
	t.Fatal("the provider does not print how to attach")
	return ""
}
