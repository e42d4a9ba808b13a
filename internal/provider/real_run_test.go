// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

// realRun runs the CLI with the built provider in a directory of its own: for
// what the test harness cannot do, and for what is left in files.
type realRun struct {
	t       *testing.T
	scratch cli.Scratch
	dir     string
	// root holds everything that the CLI wrote, its configuration apart.
	root   string
	output bytes.Buffer
}

func newRealRun(t *testing.T, configuration string) *realRun {
	t.Helper()
	built, err := builtProvider()
	if err != nil {
		t.Fatal(err)
	}
	r := &realRun{t: t, scratch: *built, root: t.TempDir()}
	r.scratch.Stdout, r.scratch.Stderr = &r.output, &r.output
	r.dir = filepath.Join(r.root, "configuration")
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.write(configuration)
	return r
}

// write replaces the configuration.
func (r *realRun) write(configuration string) {
	r.t.Helper()
	header := "terraform {\n  required_providers {\n    convo = {\n      source = \"convo/convo\"\n    }\n  }\n}\n"
	if err := os.WriteFile(filepath.Join(r.dir, "main.tf"), []byte(header+configuration), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// run runs a command of the CLI and returns what it printed.
func (r *realRun) run(variables []string, arguments ...string) (string, error) {
	r.t.Helper()
	r.output.Reset()
	err := r.scratch.Run(r.t.Context(), r.dir, variables, append(arguments, "-no-color", "-input=false")...)
	return r.output.String(), err
}

// mustRun runs a command that has to succeed.
func (r *realRun) mustRun(variables []string, arguments ...string) string {
	r.t.Helper()
	output, err := r.run(variables, arguments...)
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", arguments[0], err, output)
	}
	return output
}
