// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
)

// progressInterval is short enough to show that the build is running, and long
// enough for logs.
const progressInterval = 20 * time.Second

// source is a command that is built from source and cached.
type source struct {
	module  string // directory of the module that pins the command's version
	command string // package to build
	ldflags string
	name    string // name in messages
	binary  string // path of the result
	// environment is added to that of the go commands.
	environment []string
}

var openTofuVersion = regexp.MustCompile(`(?m)^\s*(?:require )?github\.com/opentofu/opentofu (v\S+)`)

// openTofu returns the version of OpenTofu that internal/tools/opentofu pins,
// in the user's cache directory.
func openTofu(ctx context.Context) (source, error) {
	output, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return source{}, fmt.Errorf("neither terraform nor tofu is on the PATH, and go failed to build OpenTofu: %w", err)
	}
	module := filepath.Join(filepath.Dir(strings.TrimSpace(string(output))), "internal", "tools", "opentofu")
	content, err := os.ReadFile(filepath.Join(module, "go.mod")) //nolint:gosec // The path is part of the module.
	if err != nil {
		return source{}, err
	}
	version := openTofuVersion.FindSubmatch(content)
	if version == nil {
		return source{}, fmt.Errorf("%s does not pin a version of OpenTofu", module)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return source{}, err
	}
	return source{
		module:  module,
		command: "github.com/opentofu/opentofu/cmd/tofu",
		ldflags: "-s -w -X github.com/opentofu/opentofu/version.dev=no",
		name:    "OpenTofu " + string(version[1]),
		// The file has the CLI's usual name.
		binary: filepath.Join(cache, "terraform-provider-convo", "opentofu-"+string(version[1]), "tofu"+executableSuffix()),
	}, nil
}

func executableSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// ensure returns the path of the command and builds it if it does not exist.
// Concurrent processes wait for one build. The binary is renamed to its final
// name only when it is complete.
func (s source) ensure(ctx context.Context, progress io.Writer) (path string, err error) {
	if s.isBuilt() {
		return s.binary, nil
	}
	if err := os.MkdirAll(filepath.Dir(s.binary), 0o750); err != nil {
		return "", err
	}
	lock, err := acquire(ctx, s.binary+".lock", func() {
		say(progress, "Waiting for another process to build %s ...", s.name)
	})
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }()
	if s.isBuilt() {
		return s.binary, nil
	}

	// A killed build may have left files here.
	work := s.binary + ".build"
	if err := os.RemoveAll(work); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := os.MkdirAll(filepath.Join(work, "tmp"), 0o750); err != nil {
		return "", err
	}
	say(progress, "Neither terraform nor tofu is on the PATH. Building %s from source into %s.", s.name, s.binary)
	say(progress, "The build downloads Go modules and takes 3 to 5 minutes on two cores. It runs only once.")
	start := time.Now()
	if err := s.build(ctx, work, lock, progress, start); err != nil {
		if ctx.Err() != nil {
			return "", fmt.Errorf("build %s: %w", s.name, context.Cause(ctx))
		}
		return "", fmt.Errorf("build %s: %w", s.name, err)
	}
	say(progress, "%s is ready after %s.", s.name, time.Since(start).Round(time.Second))
	return s.binary, nil
}

func (s source) isBuilt() bool {
	info, err := os.Stat(s.binary)
	return err == nil && info.Mode().IsRegular()
}

// build lists the packages first, which downloads the modules, so that the
// progress of the compilation has a total.
func (s source) build(ctx context.Context, work string, lock *os.File, progress io.Writer, start time.Time) error {
	packages, downloads, compiled := new(counter), new(counter), new(counter)
	stop := every(progressInterval, func() {
		elapsed := time.Since(start).Round(time.Second)
		if total := packages.lines(); total > 0 && compiled.lines() > 0 {
			say(progress, "%s: compiled %d of about %d packages", elapsed, compiled.lines(), total)
		} else {
			say(progress, "%s: downloaded %d modules", elapsed, downloads.lines())
		}
	})
	defer stop()

	if err := s.run(ctx, work, lock, packages, downloads, "list", "-deps", s.command); err != nil {
		return err
	}
	binary := filepath.Join(work, filepath.Base(s.binary))
	if err := s.run(ctx, work, lock, io.Discard, compiled,
		"build", "-v", "-ldflags", s.ldflags, "-o", binary, s.command); err != nil {
		return err
	}
	return os.Rename(binary, s.binary)
}

// run runs a go command with separate caches below work, which are removed with
// it, because those of OpenTofu take 3 GB. The command inherits the lock, so
// that it stays locked until the command ends, even if this process is killed.
func (s source) run(ctx context.Context, work string, lock *os.File, stdout io.Writer, stderr *counter, arguments ...string) error {
	arguments = append([]string{arguments[0], "-modcacherw", "-mod=readonly"}, arguments[1:]...)
	command := interruptible(ctx, "go", arguments...)
	command.Dir = s.module
	command.Stdout, command.Stderr = stdout, stderr
	command.Env = append(os.Environ(),
		"CGO_ENABLED=0", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOWORK=off",
		"GOCACHE="+filepath.Join(work, "build"), "GOMODCACHE="+filepath.Join(work, "modules"), "GOTMPDIR="+filepath.Join(work, "tmp"))
	command.Env = append(command.Env, s.environment...)
	inherit(command, lock)
	if err := command.Run(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", arguments[0], err, stderr.tail())
	}
	return nil
}

// say prints a line. An error does not stop the build.
func say(progress io.Writer, format string, arguments ...any) {
	_, _ = fmt.Fprintf(progress, "==> "+format+"\n", arguments...)
}

// every calls a function at an interval until it is stopped.
func every(interval time.Duration, call func()) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				call()
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

// counter counts the lines that a command prints and keeps the last of them.
type counter struct {
	mutex sync.Mutex
	count int
	kept  []byte
}

// keptBytes is enough for the error at the end of a go command's output.
const keptBytes = 4 << 10

func (c *counter) Write(p []byte) (int, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.count += bytes.Count(p, []byte("\n"))
	c.kept = append(c.kept, p...)
	c.kept = c.kept[max(0, len(c.kept)-keptBytes):]
	return len(p), nil
}

func (c *counter) lines() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.count
}

func (c *counter) tail() []byte {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.kept
}
