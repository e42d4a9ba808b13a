// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// greeter is a source as small as one can be, which prints "hello". It is built
// with the build cache of the test, because a new one means compiling Go's
// runtime.
func greeter(t *testing.T) source {
	t.Helper()
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	write(t, filepath.Join(module, "go.mod"), "module greeter.example\n\ngo 1.26.0\n")
	write(t, filepath.Join(module, "main.go"), "package main\n\nfunc main() { print(greeting) }\n\nvar greeting = \"\"\n")
	return source{
		module:      module,
		command:     "greeter.example",
		ldflags:     "-X main.greeting=hello",
		name:        "greeter",
		binary:      filepath.Join(t.TempDir(), "cache", "greeter"+executableSuffix()),
		environment: []string{"GOCACHE=" + strings.TrimSpace(string(cache))},
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkOnlyBinary fails if a build has left anything but its result and the
// lock.
func checkOnlyBinary(t *testing.T, s source) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(s.binary))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	name := filepath.Base(s.binary)
	if want := []string{name, name + ".lock"}; !slices.Equal(names, want) {
		t.Errorf("the cache has %q, want %q", names, want)
	}
	output, err := exec.CommandContext(t.Context(), s.binary).CombinedOutput()
	if err != nil || string(output) != "hello" {
		t.Errorf("the binary printed %q: %v", output, err)
	}
}

// synchronized collects what several calls print.
type synchronized struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (s *synchronized) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.Write(p)
}

func TestSourceIsBuiltOnce(t *testing.T) {
	t.Parallel()
	s := greeter(t)
	var progress synchronized
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if path, err := s.ensure(t.Context(), &progress); err != nil || path != s.binary {
				t.Errorf("got %q, %v", path, err)
			}
		})
	}
	group.Wait()
	if builds := strings.Count(progress.text.String(), "Building greeter"); builds != 1 {
		t.Errorf("%d builds, want 1:\n%s", builds, progress.text.String())
	}
	checkOnlyBinary(t, s)
}

// A build that was killed leaves a directory, which the next one replaces.
func TestSourceIsBuiltAfterAKill(t *testing.T) {
	t.Parallel()
	s := greeter(t)
	left := filepath.Join(s.binary+".build", filepath.Base(s.binary))
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(left, "half"), "of a build")
	write(t, s.binary+".lock", "")
	if _, err := s.ensure(t.Context(), &synchronized{}); err != nil {
		t.Fatal(err)
	}
	checkOnlyBinary(t, s)
}

// The build is interrupted while a module proxy keeps it waiting.
func TestSourceIsBuiltAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	s := greeter(t)
	ctx, interrupt := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	ended := make(chan struct{})
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		interrupt(interrupted)
		select {
		case <-r.Context().Done():
		case <-ended:
		}
	}))
	defer proxy.Close()
	defer close(ended)

	whole := s
	s.environment = append(slices.Clone(s.environment), "GOPROXY="+proxy.URL, "GONOSUMDB=*")
	s.module = t.TempDir()
	write(t, filepath.Join(s.module, "go.mod"),
		"module greeter.example\n\ngo 1.26.0\n\nrequire dependency.example v1.0.0\n")
	write(t, filepath.Join(s.module, "go.sum"),
		"dependency.example v1.0.0/go.mod h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n")
	write(t, filepath.Join(s.module, "main.go"), "package main\n\nimport _ \"dependency.example\"\n\nfunc main() {}\n")
	if _, err := s.ensure(ctx, &synchronized{}); !errors.Is(err, interrupted) {
		t.Errorf("got %v, want %v", err, interrupted)
	}
	for _, path := range []string{s.binary, s.binary + ".build"} {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there after an interrupt: %v", path, err)
		}
	}

	if _, err := whole.ensure(t.Context(), &synchronized{}); err != nil {
		t.Fatal(err)
	}
	checkOnlyBinary(t, whole)
}

func TestSourceThatDoesNotCompile(t *testing.T) {
	t.Parallel()
	s := greeter(t)
	write(t, filepath.Join(s.module, "main.go"), "package main\n\nfunc main() { missing() }\n")
	_, err := s.ensure(t.Context(), &synchronized{})
	if err == nil || !strings.Contains(err.Error(), "build greeter: go build: exit status 1") ||
		!strings.Contains(err.Error(), "undefined: missing") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(s.binary + ".build"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory of the build is there after an error: %v", err)
	}
}

// The version that is built is the one that the module pins.
func TestOpenTofuIsPinned(t *testing.T) {
	t.Parallel()
	s, err := openTofu(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), "go", "-C", s.module, "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var module struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(output, &module); err != nil {
		t.Fatal(err)
	}
	version := ""
	for _, requirement := range module.Require {
		if requirement.Path == "github.com/opentofu/opentofu" {
			version = requirement.Version
		}
	}
	if s.name != "OpenTofu "+version {
		t.Errorf("%s is built, %s is pinned", s.name, version)
	}
	if want := filepath.Join("terraform-provider-convo", "opentofu-"+version, "tofu"+executableSuffix()); !strings.HasSuffix(s.binary, want) {
		t.Errorf("the binary is %s, which does not end in %s", s.binary, want)
	}
}
