// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command releasecheck builds a snapshot of a release twice, in two clones, and
// checks what users and the registry depend on. The archives must contain the
// binary and the license, the checksums must list exactly the archives and the
// manifest, each archive must have an SBOM that the workflow attests, and the
// two snapshots must be identical.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == sbomTool {
		writeSBOM()
		return
	}
	targets := flag.String("targets", "linux_amd64", "build for `SYSTEMS`, separated by commas, or for all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *targets)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "releasecheck:", err)
		os.Exit(1)
	}
}

// sbomTool is the program that writes the SBOMs. If it is not installed, this
// command replaces it, because the check concerns the files of the SBOMs and
// not their content.
const sbomTool = "syft"

// writeSBOM writes an empty SPDX document to the path in syft's arguments.
func writeSBOM() {
	for _, argument := range os.Args {
		if path, found := strings.CutPrefix(argument, "spdx-json="); found {
			if err := os.WriteFile(path, []byte(`{"spdxVersion": "SPDX-2.3"}`+"\n"), 0o600); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, "the arguments contain no path of an SPDX document")
	os.Exit(1)
}

func run(ctx context.Context, targets string) (err error) {
	dir, err := os.MkdirTemp("", "convo-releasecheck-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := provideSBOMTool(filepath.Join(dir, "bin")); err != nil {
		return err
	}
	configuration := filepath.Join(dir, "goreleaser.yml")
	if err := configure(configuration, targets); err != nil {
		return err
	}
	var snapshots []*snapshot
	repository := "." // then the first clone, because the user may commit in between
	for _, name := range []string{"first", "second"} {
		fmt.Printf("==> Building the %s snapshot for %s ...\n", name, targets)
		clone := filepath.Join(dir, name)
		s, err := build(ctx, repository, clone, configuration)
		if err != nil {
			return err
		}
		repository = clone
		snapshots = append(snapshots, s)
	}
	if err := errors.Join(snapshots[0].check(), snapshots[0].compare(snapshots[1])); err != nil {
		return err
	}
	fmt.Printf("==> The %d archives contain the license, the checksums do not list the %d SBOMs, and both snapshots are identical.\n",
		len(snapshots[0].archives), len(snapshots[0].sboms))
	return nil
}

// provideSBOMTool puts this command on the PATH under the tool's name, if the
// tool is not installed.
func provideSBOMTool(dir string) error {
	if _, err := exec.LookPath(sbomTool); err == nil {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	if err := os.Symlink(self, filepath.Join(dir, sbomTool)+filepath.Ext(self)); err != nil {
		return err
	}
	return os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

var (
	systems       = regexp.MustCompile(`(?m)^    goos: .*$`)
	architectures = regexp.MustCompile(`(?m)^    goarch: .*$`)
)

// configure writes the release configuration for the given targets.
func configure(path, targets string) error {
	content, err := os.ReadFile(".goreleaser.yml")
	if err != nil {
		return err
	}
	if targets != "all" {
		if len(systems.FindAll(content, -1)) != 1 || len(architectures.FindAll(content, -1)) != 1 {
			return errors.New(".goreleaser.yml must have exactly one line for each of goos and goarch")
		}
		var goos, goarch []string
		for target := range strings.SplitSeq(targets, ",") {
			system, architecture, found := strings.Cut(target, "_")
			if !found {
				return fmt.Errorf("target %q must have the form linux_amd64", target)
			}
			goos, goarch = append(goos, system), append(goarch, architecture)
		}
		content = systems.ReplaceAll(content, fmt.Appendf(nil, "    goos: [%s]", unique(goos)))
		content = architectures.ReplaceAll(content, fmt.Appendf(nil, "    goarch: [%s]", unique(goarch)))
	}
	return os.WriteFile(path, content, 0o600)
}

func unique(names []string) string {
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// build makes a snapshot of the last commit. The files of each clone have
// different times, which must not affect the archives.
func build(ctx context.Context, repository, dir, configuration string) (*snapshot, error) {
	if err := command(ctx, ".", "git", "clone", "--quiet", repository, dir); err != nil {
		return nil, err
	}
	age := time.Duration(len(filepath.Base(dir))) * 24 * time.Hour
	touched := time.Now().Add(-age)
	if err := os.Chtimes(filepath.Join(dir, "LICENSE"), touched, touched); err != nil {
		return nil, err
	}
	modfile := filepath.Join("internal", "tools", "goreleaser", "go.mod")
	if err := command(ctx, dir, "go", "tool", "-modfile="+modfile, "goreleaser", "release",
		"--config", configuration, "--snapshot", "--clean", "--skip=publish,sign"); err != nil {
		return nil, err
	}
	return open(filepath.Join(dir, "dist"))
}

func command(ctx context.Context, dir, name string, arguments ...string) error {
	command := exec.CommandContext(ctx, name, arguments...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GPG_FINGERPRINT=") // The configuration refers to it even if nothing is signed.
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(arguments, " "), err, output)
	}
	return nil
}
