// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/cli/clitest"
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

// sh runs a command line. The CLI uses a provider that runs already. One URL leads
// to each service of the example, so that one provider serves all of its runs.
func (e *example) sh(command string) error {
	e.t.Helper()
	environment := slices.Concat(e.environment, variables(e.service.BaseURL))
	if !e.startsProvider {
		e.serving.Store(e.service) // e.service changes while the provider can still read.
		variables := variables(e.base)
		if e.attached == "" {
			e.attached = clitest.Attach(e.t, built, variables...)
		}
		environment = slices.Concat(e.environment, variables, []string{e.attached})
	}
	return e.scratch.Run(e.t.Context(), e.dir, environment, "-e", "-c", command)
}
