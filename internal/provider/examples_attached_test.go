// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// terraformScript returns a directory with a terraform for the PATH. Its init
// installs the provider, as for a user, whether or not the other commands use one
// that runs already.
func terraformScript(t *testing.T, cli string) string {
	t.Helper()
	dir := t.TempDir()
	quoted := "'" + strings.ReplaceAll(cli, "'", `'\''`) + "'"
	script := "#!/bin/sh\ncase $1 in init) unset TF_REATTACH_PROVIDERS;; esac\nexec " + quoted + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "terraform"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sh runs a command line. The CLI uses a provider that runs already, because
// starting the installed one, up to four times in each run, takes most of the
// run's time. One URL leads to each service of the example, so that one provider
// serves all of its runs.
func (e *example) sh(command string) error {
	e.t.Helper()
	environment := slices.Concat(e.environment, e.service.variables())
	if !e.startsProvider {
		handler := e.service.prefixed // e.service changes while the provider can still read.
		e.serving.Store(&handler)
		variables := service{BaseURL: e.base}.variables()
		if e.attached == "" {
			e.attached = e.attach(variables)
		}
		environment = slices.Concat(e.environment, variables, []string{"TF_REATTACH_PROVIDERS=" + e.attached})
	}
	return e.scratch.Run(e.t.Context(), e.dir, environment, "-e", "-c", command)
}

// attach starts the built provider with these variables, and returns the address
// at which the CLIs reach it.
func (e *example) attach(variables []string) string {
	e.t.Helper()
	provider := exec.CommandContext(e.t.Context(), e.scratch.Provider(), "-debug")
	provider.Env = append(os.Environ(), variables...)
	provider.Cancel = func() error {
		if err := provider.Process.Signal(os.Interrupt); err == nil {
			return nil // It removes its socket.
		}
		return provider.Process.Kill() // Windows has no interrupts.
	}
	provider.WaitDelay = 10 * time.Second
	stdout, err := provider.StdoutPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	if err := provider.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = provider.Wait() })
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if _, address, ok := strings.Cut(lines.Text(), "TF_REATTACH_PROVIDERS='"); ok {
			return e.forBothCLIs(strings.TrimSuffix(address, "'"))
		}
	}
	e.t.Fatal("the provider does not print how to attach")
	return ""
}

// forBothCLIs adds the registry that OpenTofu completes a source with.
func (e *example) forBothCLIs(address string) string {
	e.t.Helper()
	var addresses map[string]json.RawMessage
	e.decode(address, &addresses)
	addresses["registry.opentofu.org/convo/convo"] = addresses["registry.terraform.io/convo/convo"]
	both, err := json.Marshal(addresses)
	if err != nil {
		e.t.Fatal(err)
	}
	return string(both)
}
