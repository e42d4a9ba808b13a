// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package cli finds or builds Terraform or OpenTofu and runs it with a build of
// this provider, isolated from the user's settings, for the demo and the tests.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Find returns the path of the CLI to use. That is the one that the environment
// variable TERRAFORM names by path or name, or else terraform or tofu from the
// PATH, or else an OpenTofu that is built from source. Only that build writes to
// progress. Find must be called from within the module.
func Find(ctx context.Context, progress io.Writer) (string, error) {
	if name := os.Getenv("TERRAFORM"); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("the program %q in TERRAFORM cannot be run: %w", name, err)
		}
		return filepath.Abs(path)
	}
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return buildOpenTofu(ctx, progress)
}

// buildOpenTofu builds the version of OpenTofu that internal/tools/opentofu pins
// into dist, unless it is there. The build cache alone would not do, because the
// go command removes what it has not used for some days.
func buildOpenTofu(ctx context.Context, progress io.Writer) (string, error) {
	root, err := goOutput(ctx, ".", "list", "-m", "-f", "{{.Dir}}", "github.com/convo/terraform-provider-convo")
	if err != nil {
		return "", fmt.Errorf("neither terraform nor tofu is on the PATH, and OpenTofu cannot be built: %w", err)
	}
	module := filepath.Join(root, "internal", "tools", "opentofu")
	version, err := goOutput(ctx, module, "list", "-m", "-f", "{{.Version}}", "github.com/opentofu/opentofu")
	if err != nil {
		return "", err
	}
	// The file has the CLI's usual name.
	path := filepath.Join(root, "dist", "opentofu-"+version, "tofu"+executableSuffix())
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	_, _ = fmt.Fprintf(progress, "==> Neither terraform nor tofu is on the PATH. Building OpenTofu %s from source into %s.\n"+
		"==> The build downloads Go modules and takes 3 to 5 minutes on two cores. It runs only once.\n", version, path)
	// A build that is interrupted leaves nothing under the final name.
	incomplete := fmt.Sprintf("%s.%d", path, os.Getpid())
	// Without the linker's flag, the version is a pre-release, which version constraints do not accept.
	build := interruptible(ctx, "go", "build", "-buildvcs=false", "-ldflags", "-s -w -X github.com/opentofu/opentofu/version.dev=no",
		"-o", incomplete, "github.com/opentofu/opentofu/cmd/tofu")
	build.Dir = module
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	build.Stdout, build.Stderr = progress, progress
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("build OpenTofu: %w", err)
	}
	return path, os.Rename(incomplete, path)
}

// goOutput returns what a go command prints, without the line end.
func goOutput(ctx context.Context, dir string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", arguments...) //nolint:gosec // The arguments are constants.
	command.Dir = dir
	command.Env = append(os.Environ(), "GOWORK=off")
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", arguments[0], err)
	}
	return strings.TrimSpace(string(output)), nil
}

func executableSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// Version is the one that a build of the working tree is installed as. It has
// to be a release, because the CLIs ignore 0.0.0 and pre-releases, and one that
// the examples accept and no registry has.
const Version = "0.1.999"

// registries are the registries in which the two CLIs look for a provider.
var registries = []string{"registry.terraform.io", "registry.opentofu.org"}

// Scratch is a directory in which the CLI runs with a build of the provider.
type Scratch struct {
	dir string
	// CLI is the path of the program that Run runs.
	CLI string
	// Stdout and Stderr receive the output of the CLI.
	Stdout, Stderr io.Writer
}

// NewScratch builds the provider into a filesystem mirror below dir and writes
// a CLI configuration that installs it from there. It must be called from
// within the module.
func NewScratch(ctx context.Context, cli, dir string) (*Scratch, error) {
	s := &Scratch{dir: dir, CLI: cli, Stdout: os.Stdout, Stderr: os.Stderr}
	mirror := filepath.Join(dir, "mirror")
	var packages, addresses []string
	for _, registry := range registries {
		packages = append(packages, s.mirrored(registry))
		addresses = append(addresses, fmt.Sprintf("%q", registry+"/convo/convo"))
	}
	build := interruptible(ctx, "go", "build", "-buildvcs=false", "-ldflags", "-X main.version="+Version, "-o", s.Provider(),
		"github.com/convo/terraform-provider-convo")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the provider: %w\n%s", err, output)
	}
	// Windows requires a privilege for symbolic links.
	if err := os.CopyFS(packages[1], os.DirFS(packages[0])); err != nil {
		return nil, err
	}
	configuration := fmt.Sprintf(`provider_installation {
  filesystem_mirror {
    path    = %q
    include = [%[2]s]
  }
  direct {
    exclude = [%[2]s]
  }
}
`, filepath.ToSlash(mirror), strings.Join(addresses, ", "))
	return s, os.WriteFile(s.Configuration(), []byte(configuration), 0o600)
}

// Configuration returns the path of the CLI configuration.
func (s *Scratch) Configuration() string { return filepath.Join(s.dir, "cli.tfrc") }

// mirrored returns the directory of the mirror with a registry's package.
func (s *Scratch) mirrored(registry string) string {
	return filepath.Join(s.dir, "mirror", registry, "convo", "convo", Version, runtime.GOOS+"_"+runtime.GOARCH)
}

// Provider returns the path of the built provider.
func (s *Scratch) Provider() string {
	return filepath.Join(s.mirrored(registries[0]), "terraform-provider-convo_v"+Version+executableSuffix())
}

// Copy copies the files of a configuration into a directory of the scratch,
// and returns its path for Run.
func (s *Scratch) Copy(source string) (string, error) {
	target := filepath.Join(s.dir, "configurations", filepath.Base(source))
	return target, os.CopyFS(target, os.DirFS(source))
}

// Run runs the CLI in a directory, with variables of the form "NAME=value" in
// addition to the user's environment, except for variables of the CLI and the
// provider.
func (s *Scratch) Run(ctx context.Context, dir string, variables []string, arguments ...string) error {
	command := interruptible(ctx, s.CLI, arguments...)
	command.Dir = dir
	command.Stdout, command.Stderr = s.Stdout, s.Stderr
	command.Env = append(environment(), "TF_CLI_CONFIG_FILE="+s.Configuration(), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
	command.Env = append(command.Env, variables...)
	return command.Run()
}

// interruptible returns a command that is interrupted, as with Ctrl-C, when the
// context ends, so that it can clean up.
func interruptible(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, arguments...) //nolint:gosec // The user chooses the CLI.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	return command
}

// environment returns the user's environment without settings of the CLI and
// the provider, which would affect a run.
func environment() []string {
	var kept []string
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "TF_LOG") || strings.HasPrefix(variable, "CONVO_") {
			continue
		}
		kept = append(kept, variable)
	}
	return kept
}
