// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build engines

package pipelines_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// installation is the CLI with a build of the provider, and the lock file for it.
type installation struct {
	*cli.Scratch
	lock string
}

var installed func() (installation, error)

func TestMain(m *testing.M) {
	dir, dirErr := os.MkdirTemp("", "convo")
	installed = sync.OnceValues(func() (installation, error) {
		path, err := cli.Find()
		if err = errors.Join(dirErr, err); err != nil {
			return installation{}, err
		}
		return install(path, dir)
	})
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func install(path, dir string) (installation, error) {
	scratch, err := cli.NewScratch(context.Background(), path, dir)
	if err != nil {
		return installation{}, err
	}
	scratch.Stdout = io.Discard
	main, err := os.ReadFile(example + "main.tf")
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "main.tf"), main, 0o600))
	if err = errors.Join(err, scratch.Run(context.Background(), dir, nil, "init")); err != nil {
		return installation{}, err
	}
	lock, err := os.ReadFile(filepath.Join(dir, ".terraform.lock.hcl"))
	return installation{scratch, string(lock)}, err
}

// host is a repository with the configuration of the example, the programs that its jobs
// find, the service, and a backend.
type host struct {
	t        *testing.T
	cli      installation
	dir, bin string
	base     string // the service's URL
	service  *atomic.Pointer[http.Handler]
	backend  *backend
	attached string // a variable, with which the CLI uses a running provider
}

func newHost(t *testing.T) *host {
	t.Helper()
	found, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	h := &host{
		t: t, cli: found, dir: t.TempDir(), bin: t.TempDir(),
		service: &atomic.Pointer[http.Handler]{}, backend: &backend{},
	}
	h.serve()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.StripPrefix("/api", *h.service.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(service.Close)
	state := httptest.NewServer(h.backend)
	t.Cleanup(state.Close)
	h.base = service.URL + "/api"
	if err := os.Symlink(found.CLI, filepath.Join(h.bin, "terraform")); err != nil {
		t.Fatal(err)
	}
	h.write("main.tf", read(t, example+"main.tf"))
	h.write(".terraform.lock.hcl", found.lock)
	h.write("backend.tf", strings.ReplaceAll(backendBlock, "URL", state.URL))
	return h
}

// attach starts the provider once for all runs, which then take a fraction of the time.
func (h *host) attach() {
	h.t.Helper()
	attached, wait, err := h.cli.Attach(h.t.Context(), "CONVO_BASE_URL="+h.base, "CONVO_TOKEN="+devserver.TokenWrite)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(wait)
	h.attached = attached
}

// record records the first audit, without a pipeline.
func (h *host) record() {
	h.t.Helper()
	h.shell(`terraform init
		terraform apply -auto-approve -var 'accepted={first_record="Compared"}'
		terraform apply -auto-approve
		rm -r .terraform`)
	if !h.backend.changed() {
		h.t.Fatal("the first audit was not recorded")
	}
}

// respond makes another handler respond to the provider.
func (h *host) respond(service http.Handler) { h.service.Store(&service) }

// serve makes the service return definitions with these changes, which are pairs of texts.
func (h *host) serve(changes ...string) {
	seed := devserver.DefaultSeed()
	for i, agent := range seed.Agents {
		if agent.ID == "agt_trade" || agent.ID == "agt_returns" {
			seed.Agents[i].Definition = []byte(strings.NewReplacer(changes...).Replace(string(agent.Definition)))
		}
	}
	h.respond(devserver.New(seed))
}

// hang makes the service hang until the client ends the request, and returns a channel
// that is closed with the first request.
func (h *host) hang() <-chan struct{} {
	reads := make(chan struct{})
	var once sync.Once
	h.respond(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(reads) })
		<-r.Context().Done()
	}))
	return reads
}

func (h *host) write(file, content string) {
	h.t.Helper()
	path := filepath.Join(h.dir, file)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		h.t.Fatal(err)
	}
}

// edit replaces a text of a file.
func (h *host) edit(file, before, after string) {
	h.t.Helper()
	content := read(h.t, filepath.Join(h.dir, file))
	if !strings.Contains(content, before) {
		h.t.Fatalf("%q is not in %s", before, file)
	}
	h.write(file, strings.Replace(content, before, after, 1))
}

// program writes a program that the jobs find.
func (h *host) program(name, content string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.bin, name), []byte("#!/bin/sh\n"+content), 0o700); err != nil {
		h.t.Fatal(err)
	}
}

// workspaces writes the configuration for several workspaces, without a backend.
func (h *host) workspaces() {
	h.t.Helper()
	larkspur := read(h.t, several+"larkspur/main.tf")
	tidepool := strings.Replace(larkspur, "ws_larkspur01", "ws_tidepool02", 1)
	h.write("audit/main.tf", read(h.t, several+"audit/main.tf"))
	for directory, main := range map[string]string{"larkspur": larkspur, "tidepool": tidepool} {
		h.write(directory+"/main.tf", main)
		h.write(directory+"/.terraform.lock.hcl", h.cli.lock)
	}
}

// command returns a command that runs in the repository, with only the necessary
// variables of the system.
func (h *host) command(arguments ...string) (*exec.Cmd, *bytes.Buffer) {
	command := exec.CommandContext(h.t.Context(), arguments[0], arguments[1:]...)
	output := &bytes.Buffer{}
	command.Dir, command.Stdout, command.Stderr = h.dir, output, output
	command.Env = []string{
		"PATH=" + h.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + h.bin,
		"TF_CLI_CONFIG_FILE=" + h.cli.Configuration(), "CHECKPOINT_DISABLE=1",
	}
	if h.attached != "" {
		command.Env = append(command.Env, h.attached)
	}
	return command, output
}

// shell runs commands in the repository.
func (h *host) shell(commands string) {
	h.t.Helper()
	command, output := h.command("sh", "-e", "-c", commands)
	command.Env = append(command.Env, "CONVO_BASE_URL="+h.base, "CONVO_TOKEN="+devserver.TokenWrite)
	if err := command.Run(); err != nil {
		h.t.Fatalf("%v\n%s", err, output)
	}
}

const backendBlock = `terraform {
  backend "http" {
    address        = "URL"
    lock_address   = "URL"
    unlock_address = "URL"
    retry_max      = 0
  }
}
`

// backend is an HTTP backend with locks.
type backend struct {
	mu          sync.Mutex
	state, lock []byte
	known       string // the record when changed was called last
	writing     func() // runs before each write
}

// locked reports whether the state is locked.
func (b *backend) locked() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lock != nil
}

var recorded = regexp.MustCompile(`(?s)"type": "convo_audit_record".*?"sensitive_attributes"`)

// changed reports whether the record in the state is different since the last call.
func (b *backend) changed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.known
	b.known = recorded.FindString(string(b.state))
	return b.known != known
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case r.Method == "LOCK" && b.lock != nil:
		w.WriteHeader(http.StatusLocked)
		_, _ = w.Write(b.lock)
	case r.Method == "LOCK":
		b.lock = body
	case r.Method == "UNLOCK":
		b.lock = nil
	case r.Method == http.MethodPost:
		if b.writing != nil {
			b.writing()
		}
		b.state = body
	case b.state == nil:
		w.WriteHeader(http.StatusNotFound)
	default:
		_, _ = w.Write(b.state)
	}
}
