// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package pipelines_test runs the pipelines that audit a workspace in GitHub Actions and
// GitLab CI, and the script that both share, with the real CLI.
package pipelines_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/go-version"
	"go.yaml.in/yaml/v4"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const (
	root     = "../.."
	script   = root + "/.github/workflows/audit.sh"
	workflow = root + "/.github/workflows/audit.yml"
	pipeline = root + "/.gitlab/audit.yml"
	example  = root + "/examples/audit-in-ci/"
)

// installation is the CLI, and the provider that it installs.
type installation struct {
	*cli.Scratch
	lock    string
	version *version.Version
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
	var shown struct {
		Version string `json:"terraform_version"`
	}
	var log bytes.Buffer
	scratch.Stdout, scratch.Stderr = &log, &log
	err = scratch.Run(context.Background(), dir, nil, "version", "-json")
	if err = errors.Join(err, json.Unmarshal(log.Bytes(), &shown)); err != nil {
		return installation{}, fmt.Errorf("%w\n%s", err, log.Bytes())
	}
	number, err := version.NewVersion(shown.Version)
	if err != nil {
		return installation{}, err
	}
	found := installation{Scratch: scratch, version: number}
	if number.Core().LessThan(version.Must(version.NewVersion("1.11"))) {
		return found, nil
	}
	main, err := os.ReadFile(example + "main.tf")
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "main.tf"), main, 0o600)); err != nil {
		return installation{}, err
	}
	if err := scratch.Run(context.Background(), dir, nil, "init"); err != nil {
		return installation{}, fmt.Errorf("%w\n%s", err, log.Bytes())
	}
	lock, err := os.ReadFile(filepath.Join(dir, ".terraform.lock.hcl"))
	found.lock = string(lock)
	return found, err
}

// host runs parts of pipelines in a directory with the configuration of the example.
// Programs in bin replace those of the system.
type host struct {
	t        *testing.T
	dir, bin string
	// service responds to the provider, and base is its URL.
	service *atomic.Pointer[http.Handler]
	base    string
	// attached is the variable for a running provider. Without it, the CLI starts the
	// installed one, with the token that the pipeline passes.
	attached string
	log      string // of the last run
}

// respond makes another handler respond to the provider.
func (h *host) respond(service http.Handler) { h.service.Store(&service) }

// attach makes the CLI use a running provider, which has a token of its own, so that a
// run takes a fraction of the time.
func (h *host) attach() {
	h.t.Helper()
	found, _ := installed()
	attached, wait, err := found.Attach(h.t.Context(), "CONVO_BASE_URL="+h.base, "CONVO_TOKEN="+devserver.TokenWrite)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(wait)
	h.attached = attached
}

// fakeCLI appends the commands that receive the token to the file tokens, and runs the
// file named after a command instead. init always installs the provider.
const fakeCLI = `#!/bin/sh
case "$*" in *" -lock=false"*) lock=" without a lock" ;; esac
case $1 in init) unset TF_REATTACH_PROVIDERS ;; esac
test -z "${CONVO_TOKEN:-}" || echo "$1${lock:-}" >> %[1]s/tokens
test ! -f "%[1]s/fake-$1" || exec sh "%[1]s/fake-$1" "$@"
exec %[2]s "$@"
`

func newHost(t *testing.T) *host {
	t.Helper()
	found, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	if found.lock == "" {
		t.Skipf("the example requires Terraform or OpenTofu 1.11, and the CLI has the version %s", found.version)
	}
	h := &host{t: t, dir: t.TempDir(), bin: t.TempDir(), service: &atomic.Pointer[http.Handler]{}}
	h.respond(devserver.New(devserver.DefaultSeed()))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.StripPrefix("/api", *h.service.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	h.base = server.URL + "/api"
	h.program("terraform", fmt.Sprintf(fakeCLI, h.bin, found.CLI))
	h.write("main.tf", read(t, example+"main.tf"))
	h.write(".terraform.lock.hcl", found.lock)
	return h
}

// program writes a program to bin.
func (h *host) program(name, content string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.bin, name), []byte(content), 0o700); err != nil {
		h.t.Fatal(err)
	}
}

// written returns the lines of a file that a program in bin wrote, and removes it.
func (h *host) written(file string) []string {
	h.t.Helper()
	content, err := os.ReadFile(filepath.Join(h.bin, file))
	if err == nil {
		err = os.Remove(filepath.Join(h.bin, file))
	}
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	return strings.FieldsFunc(string(content), func(r rune) bool { return r == '\n' })
}

func (h *host) write(file, content string) {
	h.t.Helper()
	path := filepath.Join(h.dir, file)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		h.t.Fatal(err)
	}
}

// edit replaces a text of the configuration of the example.
func (h *host) edit(before, after string) {
	h.t.Helper()
	main := read(h.t, example+"main.tf")
	if !strings.Contains(main, before) {
		h.t.Fatalf("%q is not in main.tf", before)
	}
	h.write("main.tf", strings.Replace(main, before, after, 1))
}

// serve makes the service return other texts in the definition of the agent agt_trade:
// pairs of the old and the new one.
func (h *host) serve(texts ...string) {
	h.t.Helper()
	seed := devserver.DefaultSeed()
	for i, agent := range seed.Agents {
		if agent.ID == "agt_trade" {
			seed.Agents[i].Definition = []byte(strings.NewReplacer(texts...).Replace(string(agent.Definition)))
		}
	}
	h.respond(devserver.New(seed))
}

// command returns a command that runs with the variables and only the necessary ones
// of the system.
func (h *host) command(dir string, variables []string, arguments ...string) (*exec.Cmd, *bytes.Buffer) {
	found, _ := installed()
	command := exec.CommandContext(h.t.Context(), arguments[0], arguments[1:]...)
	output := &bytes.Buffer{}
	command.Dir, command.Stdout, command.Stderr = dir, output, output
	command.Env = append([]string{
		"PATH=" + h.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + h.dir,
		"TF_CLI_CONFIG_FILE=" + found.Configuration(), "CHECKPOINT_DISABLE=1",
	}, variables...)
	if h.attached != "" {
		command.Env = append(command.Env, h.attached)
	}
	return command, output
}

// result is the result of an audit.
type result struct {
	*host
	outcome, report string
	passed          bool // whether the exit status is 0
}

// is compares the outcome, whether the audit was recorded, and how the report begins.
func (r result) is(outcome, recorded, report string) result {
	r.t.Helper()
	got := "not recorded"
	if strings.Contains(r.log, "Apply complete!") {
		got = "recorded"
	}
	if r.outcome != outcome || got != recorded || r.passed != (outcome == "green") {
		r.t.Errorf("the audit is %s and %s, not %s and %s:\n%s", r.outcome, got, outcome, recorded, r.log)
	}
	if !strings.HasPrefix(r.report, report) {
		r.t.Errorf("the report does not begin with %q:\n%s", report, r.report)
	}
	return r
}

// has requires texts in the report.
func (r result) has(texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.report, text) {
			r.t.Errorf("the report does not contain %q:\n%s", text, r.report)
		}
	}
}

var acceptAs = regexp.MustCompile(`(?m)^((?:access_changed|first_record)/\S+/[a-z2-7]{24})$`)

// accepted returns the keys of all errors as a JSON object with one reason.
func (r result) accepted(reason string) string {
	r.t.Helper()
	accepted := map[string]string{}
	for _, match := range acceptAs.FindAllStringSubmatch(r.log, -1) {
		accepted[match[1]] = reason
	}
	if len(accepted) == 0 {
		r.t.Fatalf("the log has no key:\n%s", r.log)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(accepted); err != nil {
		r.t.Fatal(err)
	}
	return text.String()
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// readIfExists returns the content of a file, or nothing if it does not exist.
func readIfExists(t *testing.T, path string) string {
	t.Helper()
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return ""
	}
	return read(t, path)
}

func parseYAML(t *testing.T, text string, into any) {
	t.Helper()
	var document any
	if err := yaml.Load([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(document)
	if err = errors.Join(err, json.Unmarshal(content, into)); err != nil {
		t.Fatal(err)
	}
}

// lines returns the sorted elements as one text.
func lines(elements []string) string {
	slices.Sort(elements)
	return strings.Join(elements, "\n")
}
