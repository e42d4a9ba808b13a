// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package cli runs Terraform or OpenTofu with a build of this provider,
// isolated from the user's settings, for the demo and the tests.
package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-version"
)

// Find returns the path of the CLI to use. That is the one that the environment
// variable TERRAFORM names by path or name, or else terraform or tofu from the
// PATH.
func Find() (string, error) {
	names := []string{"terraform", "tofu"}
	if name := os.Getenv("TERRAFORM"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("cannot run %s: set TERRAFORM to the name or path of a CLI, or use make, which builds OpenTofu if neither CLI is installed",
		strings.Join(names, " or "))
}

// Version returns the name of the CLI, Terraform or OpenTofu, and its version.
func Version(ctx context.Context, path string) (name string, number *version.Version, err error) {
	command := exec.CommandContext(ctx, path, "version")
	// OpenTofu begins with a warning if the file that the variable names is missing.
	command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1")
	output, err := command.Output()
	if err != nil {
		return "", nil, fmt.Errorf("%s cannot be run: %w", path, err)
	}
	var text string
	_, _ = fmt.Sscanf(string(output), "%s v%s", &name, &text) // NewVersion rejects an empty text.
	number, err = version.NewVersion(text)
	return name, number, err
}

// BuildVersion is the version of a build of the working tree. The CLIs ignore 0.0.0 and
// pre-releases, the examples must accept it, and no registry may have it.
const BuildVersion = "0.1.999"

// configuration is a CLI configuration that installs the provider from a mirror.
// Each CLI looks for it in another registry.
const configuration = `provider_installation {
  filesystem_mirror {
    path    = %q
    include = ["registry.terraform.io/convo/convo", "registry.opentofu.org/convo/convo"]
  }
  direct {
    exclude = ["registry.terraform.io/convo/convo", "registry.opentofu.org/convo/convo"]
  }
}
`

// Scratch is a directory in which the CLI runs with a build of the provider.
type Scratch struct {
	dir string
	// CLI is the path of the program that Run runs.
	CLI string
	// Stdout and Stderr receive the output of the CLI, which is discarded if they are nil.
	Stdout, Stderr io.Writer
}

// NewScratch builds the provider into a filesystem mirror below dir, which
// replaces an earlier one, and writes a CLI configuration that installs it from
// there. It must be called from within the module.
func NewScratch(ctx context.Context, cli, dir string) (*Scratch, error) {
	s := &Scratch{dir: dir, CLI: cli}
	mirror := filepath.Join(dir, "mirror")
	if err := os.RemoveAll(mirror); err != nil {
		return nil, err
	}
	built := s.mirrored("registry.terraform.io")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags", "-s -w -X main.version="+BuildVersion,
		"-o", built+"/", "github.com/convo/terraform-provider-convo")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the provider: %w\n%s", err, output)
	}
	// Windows requires a privilege for symbolic links.
	if err := os.CopyFS(s.mirrored("registry.opentofu.org"), os.DirFS(built)); err != nil {
		return nil, err
	}
	return s, os.WriteFile(s.Configuration(), fmt.Appendf(nil, configuration, filepath.ToSlash(mirror)), 0o600)
}

// Configuration returns the path of the CLI configuration.
func (s *Scratch) Configuration() string { return filepath.Join(s.dir, "cli.tfrc") }

// Provider returns the path of the built provider, without the extension that
// Windows requires.
func (s *Scratch) Provider() string {
	return filepath.Join(s.mirrored("registry.terraform.io"), "terraform-provider-convo")
}

// mirrored returns the directory of the mirror with a registry's package.
func (s *Scratch) mirrored(registry string) string {
	return filepath.Join(s.dir, "mirror", registry, "convo", "convo", BuildVersion, Platform())
}

// Platform returns the platform that the provider is built for, such as linux_amd64. The Go
// command reads the same variables.
func Platform() string {
	return cmp.Or(os.Getenv("GOOS"), runtime.GOOS) + "_" + cmp.Or(os.Getenv("GOARCH"), runtime.GOARCH)
}

// Run runs the CLI in a directory, with variables of the form "NAME=value" in
// addition to the user's environment, except for variables of the CLI and the
// provider, which would affect a run.
func (s *Scratch) Run(ctx context.Context, dir string, variables []string, arguments ...string) error {
	environment := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "CONVO_")
	})
	environment = append(environment, "TF_CLI_CONFIG_FILE="+s.Configuration(), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
	command := exec.CommandContext(ctx, s.CLI, arguments...)
	command.Dir = dir
	command.Env = append(environment, variables...)
	command.Stdout, command.Stderr = s.Stdout, s.Stderr
	// The CLI is interrupted, as with Ctrl-C, so that it can clean up.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	return command.Run()
}
