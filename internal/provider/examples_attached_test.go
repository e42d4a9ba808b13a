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
// run's time.
func (e *example) sh(environment []string, command string) error {
	e.t.Helper()
	if !e.startsProvider {
		environment = append(environment, "TF_REATTACH_PROVIDERS="+e.attach(environment))
	}
	return e.scratch.Run(e.t.Context(), e.dir, environment, "-e", "-c", command)
}

// attach starts the built provider unless it runs with the same variables, and
// returns the address at which the CLIs reach it.
func (e *example) attach(environment []string) string {
	e.t.Helper()
	ours := func(variable string) bool { return strings.HasPrefix(variable, "CONVO_") }
	variables := slices.DeleteFunc(slices.Clone(environment), func(variable string) bool { return !ours(variable) })
	key := strings.Join(variables, "\n")
	if address, ok := e.attached[key]; ok {
		return address
	}
	provider := exec.CommandContext(e.t.Context(), e.scratch.Provider(), "-debug")
	provider.Env = append(slices.DeleteFunc(os.Environ(), ours), variables...)
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
			e.attached[key] = e.forBothCLIs(strings.TrimSuffix(address, "'"))
			return e.attached[key]
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
