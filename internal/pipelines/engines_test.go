// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build engines

// Package pipelines_test runs the pipelines that audit a workspace with the engines act
// and gitlab-ci-local.
package pipelines_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

const (
	root    = "../.."
	example = root + "/examples/audit-in-ci/"
	several = root + "/examples/audit-several-workspaces/"
	action  = "/.github/actions/audit/action.yml"
)

// installation is the CLI with a build of the provider, the lock file for it, and act.
type installation struct {
	*cli.Scratch
	lock, act string
}

var installed = sync.OnceValues(func() (installation, error) {
	path, err := cli.Find()
	if err != nil {
		return installation{}, err
	}
	dir, err := filepath.Abs(root + "/dist/pipelines")
	if err != nil {
		return installation{}, err
	}
	scratch, err := cli.NewScratch(context.Background(), path, dir)
	if err != nil {
		return installation{}, err
	}
	scratch.Stdout = io.Discard
	lock := filepath.Join(dir, ".terraform.lock.hcl")
	_ = os.Remove(lock)
	main, err := os.ReadFile(example + "main.tf")
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "main.tf"), main, 0o600))
	if err = errors.Join(err, scratch.Run(context.Background(), dir, nil, "init")); err != nil {
		return installation{}, err
	}
	content, err := os.ReadFile(lock)
	if err != nil {
		return installation{}, err
	}
	tool := exec.CommandContext(context.Background(), "go", "tool", "-modfile="+root+"/internal/tools/act/go.mod", "-n", "act")
	program, err := tool.Output()
	return installation{scratch, string(content), strings.TrimSpace(string(program))}, err
})

// engine runs pipelines of a repository with the configuration of the example.
type engine struct {
	t        *testing.T
	cli      installation
	dir, bin string // the repository, and programs that its jobs find
	base     string // the service's URL
	service  *atomic.Pointer[http.Handler]
	backend  *backend
	attached string // a variable, with which the CLI uses a running provider
	store    string // what act's jobs send
	report   string // the path of the published report
	log      string // of the last run
	// arguments returns the arguments of the engine for a run.
	arguments func(r run) []string
}

func newEngine(t *testing.T) *engine {
	t.Helper()
	found, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{
		t: t, cli: found, dir: t.TempDir(), bin: t.TempDir(),
		service: &atomic.Pointer[http.Handler]{}, backend: &backend{},
	}
	e.serve()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.StripPrefix("/api", *e.service.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(service.Close)
	state := httptest.NewServer(e.backend)
	t.Cleanup(state.Close)
	e.base = service.URL + "/api"
	if err := os.Symlink(found.CLI, filepath.Join(e.bin, "terraform")); err != nil {
		t.Fatal(err)
	}
	e.write("main.tf", read(t, example+"main.tf"))
	e.write(".terraform.lock.hcl", found.lock)
	e.write("backend.tf", strings.ReplaceAll(backendBlock, "URL", state.URL))
	return e
}

// attach starts the provider once for all runs, which then take a fraction of the time.
func (e *engine) attach() {
	e.t.Helper()
	attached, wait, err := e.cli.Attach(e.t.Context(), "CONVO_BASE_URL="+e.base, "CONVO_TOKEN="+devserver.TokenWrite)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(wait)
	e.attached = attached
}

// record records the first audit, without a pipeline.
func (e *engine) record() {
	e.t.Helper()
	e.shell(`terraform init
		terraform apply -auto-approve -var 'accepted={first_record="Compared"}'
		terraform apply -auto-approve
		rm -r .terraform`)
	if !e.backend.changed() {
		e.t.Fatal("the first audit was not recorded")
	}
}

// respond makes another handler respond to the provider.
func (e *engine) respond(service http.Handler) { e.service.Store(&service) }

// serve makes the service return definitions with these changes, which are pairs of texts.
func (e *engine) serve(changes ...string) {
	seed := devserver.DefaultSeed()
	for i, agent := range seed.Agents {
		if agent.ID == "agt_trade" || agent.ID == "agt_returns" {
			seed.Agents[i].Definition = []byte(strings.NewReplacer(changes...).Replace(string(agent.Definition)))
		}
	}
	e.respond(devserver.New(seed))
}

// write writes a file of the repository, or with an absolute path, another one.
func (e *engine) write(file, content string) {
	e.t.Helper()
	path := file
	if !filepath.IsAbs(file) {
		path = filepath.Join(e.dir, file)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o700)); err != nil {
		e.t.Fatal(err)
	}
}

// edit replaces a text of a file.
func (e *engine) edit(file, before, after string) {
	e.t.Helper()
	content := read(e.t, filepath.Join(e.dir, file))
	if !strings.Contains(content, before) {
		e.t.Fatalf("%q is not in %s", before, file)
	}
	e.write(file, strings.Replace(content, before, after, 1))
}

// workspaces writes the configuration for several workspaces, without a backend.
func (e *engine) workspaces() {
	e.t.Helper()
	larkspur := read(e.t, several+"larkspur/main.tf")
	tidepool := strings.Replace(larkspur, "ws_larkspur01", "ws_tidepool02", 1)
	e.write("audit/main.tf", read(e.t, several+"audit/main.tf"))
	for directory, main := range map[string]string{"larkspur": larkspur, "tidepool": tidepool} {
		e.write(directory+"/main.tf", main)
		e.write(directory+"/.terraform.lock.hcl", e.cli.lock)
	}
}

// command returns a command that runs in the repository, with only the necessary
// variables of the system.
func (e *engine) command(arguments ...string) (*exec.Cmd, *bytes.Buffer) {
	command := exec.CommandContext(e.t.Context(), arguments[0], arguments[1:]...)
	output := &bytes.Buffer{}
	command.Dir, command.Stdout, command.Stderr = e.dir, output, output
	command.Env = []string{
		"PATH=" + e.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + e.bin,
		"TF_CLI_CONFIG_FILE=" + e.cli.Configuration(), "CHECKPOINT_DISABLE=1",
	}
	if e.attached != "" {
		command.Env = append(command.Env, e.attached)
	}
	return command, output
}

// shell runs commands in the repository.
func (e *engine) shell(commands string) {
	e.t.Helper()
	command, output := e.command("sh", "-e", "-c", commands)
	command.Env = append(command.Env, "CONVO_BASE_URL="+e.base, "CONVO_TOKEN="+devserver.TokenWrite)
	if err := command.Run(); err != nil {
		e.t.Fatalf("%v\n%s", err, output)
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

// standIns replace the actions of others, which act cannot fetch here. The inputs are
// variables.
var standIns = map[string]string{
	"actions/checkout":          `cp -R "$CALLER/." .`,
	"hashicorp/setup-terraform": `command -v terraform`,
	"actions/upload-artifact":   `test ! -e no-artifacts && mkdir -p "$STORE/$name" && cp "$path" "$STORE/$name/"`,
}

// gh stores one issue for each name, and what it sends.
const gh = `#!/bin/sh
test ! -e "$STORE/disabled" && test -n "$GH_TOKEN" || { echo "gh: HTTP 403" >&2; exit 1; }
case "$1 $2" in
  "issue list") cat "$STORE/$NAME.json" 2> /dev/null || echo '[]'; exit ;;
  "api --paginate") jq -r "$5" "$STORE/comments.json"; exit ;;
  "issue create" | "issue edit")
    jq -n --rawfile body body.md '[{number: 3, body: ($body | gsub("\n"; "\r\n"))}]' > "$STORE/$NAME.json" ;;
  "issue comment") cp comment.md "$STORE/" ;;
  "issue close") rm "$STORE/$NAME.json" ;;
esac
cp body.md "$STORE/"
echo "gh $*" >> "$STORE/sent"
`

// newAct returns an engine that runs the workflow that users copy. The store has what the
// jobs send.
func newAct(t *testing.T) *engine {
	t.Helper()
	e := newEngine(t)
	e.store = t.TempDir()
	e.report = filepath.Join(e.store, "convo-audit", "report.md")
	e.write(e.bin+"/gh", gh)
	e.write(e.store+"/comments.json", "[]")
	e.write(".github/workflows/audit.yml", read(t, example+"audit.yml"))
	provider := t.TempDir()
	e.write(provider+action, read(t, root+action))
	arguments := []string{
		e.cli.act, "--platform", "ubuntu-latest=-self-hosted", "--no-skip-checkout", "--rm",
		"--local-repository", "convo/terraform-provider-convo@v0.1.0=" + provider, "--secret", "GITHUB_TOKEN=ghs_1",
		"--var", "CONVO_BASE_URL=" + e.base, "--env", "CALLER=" + e.dir, "--env", "STORE=" + e.store,
	}
	files := read(t, example+"audit.yml") + read(t, root+action)
	for _, uses := range regexp.MustCompile(`uses: (([a-z]+/[a-z-]+)@\S+)`).FindAllStringSubmatch(files, -1) {
		arguments = append(arguments, "--local-repository", uses[1]+"="+e.standIn(uses[2]))
	}
	e.arguments = func(r run) []string {
		if r.with != "" {
			e.edit(".github/workflows/audit.yml", "with: { accepted", "with: { "+r.with+", accepted")
		}
		return append(arguments, e.event(r)...)
	}
	return e
}

// standIn writes a stand-in for an action, and returns its directory.
func (e *engine) standIn(name string) string {
	e.t.Helper()
	script, found := standIns[name]
	if !found {
		e.t.Fatalf("the action %s has no stand-in", name)
	}
	dir := e.t.TempDir()
	e.write(dir+"/action.yml", fmt.Sprintf(`
name: Stand-in
inputs: { name: {}, path: {} }
runs:
  using: composite
  steps:
    - shell: bash
      env: { name: "${{ inputs.name }}", path: "${{ inputs.path }}" }
      run: %s
`, script))
	return dir
}

// event returns act's arguments for a run.
func (e *engine) event(r run) []string {
	e.t.Helper()
	type object = map[string]any
	repository := map[string]string{pull: "o/r", fork: "fork/r"}[r.event]
	payload := object{
		"number":       7,
		"pull_request": object{"number": 7, "head": object{"repo": object{"full_name": repository}}},
	}
	name := "pull_request"
	switch r.event {
	case schedule:
		name, payload = "schedule", object{}
	case manual, branch:
		ref := map[string]string{manual: "refs/heads/main", branch: "refs/heads/feature"}[r.event]
		name, payload = "workflow_dispatch", object{
			"ref": ref, "inputs": object{"accepted": r.accepted}, "repository": object{"default_branch": "main"},
		}
	}
	content, err := json.Marshal(payload)
	if err != nil {
		e.t.Fatal(err)
	}
	file := filepath.Join(e.t.TempDir(), "event.json")
	e.write(file, string(content))
	arguments := []string{name, "--eventpath", file, "--env", "TF_CLI_ARGS=" + r.flags, "--actor", r.actor}
	for _, token := range r.tokens() {
		arguments = append(arguments, "--secret", token)
	}
	return arguments
}

// newGitLab returns an engine that runs the file that users copy.
func newGitLab(t *testing.T) *engine {
	t.Helper()
	e := newEngine(t)
	e.report = filepath.Join(e.dir, "report.md")
	e.write(e.bin+"/apk", "#!/bin/sh\nexit 99\n") // All tools are there.
	e.write(".gitlab/audit.yml", read(t, root+"/.gitlab/audit.yml"))
	e.pipeline(read(t, example+".gitlab-ci.yml"))
	e.arguments = func(r run) []string {
		arguments := []string{
			"gitlab-ci-local", "--force-shell-executor", "--shell-isolation",
			"--ignore-predefined-vars", "CI_PIPELINE_SOURCE,CI_COMMIT_BRANCH,CI_DEFAULT_BRANCH",
		}
		for _, variable := range append(gitLabVariables(r), "CONVO_BASE_URL="+e.base) {
			arguments = append(arguments, "--variable", variable)
		}
		return arguments
	}
	return e
}

func gitLabVariables(r run) []string {
	source := map[string]string{schedule: "schedule", manual: "web", branch: "web", pull: "merge_request_event", fork: "merge_request_event"}
	name := map[string]string{schedule: "main", manual: "main", branch: "feature"}
	variables := []string{"CI_DEFAULT_BRANCH=main", "CI_PIPELINE_SOURCE=" + source[r.event], "CI_COMMIT_BRANCH=" + name[r.event]}
	if r.event != fork {
		variables = append(variables, r.tokens()...)
	}
	for name, value := range map[string]string{"ACCEPTED": r.accepted, "AUDIT_CLI": strings.TrimPrefix(r.with, "cli: "), "TF_CLI_ARGS": r.flags} {
		if value != "" {
			variables = append(variables, name+"="+value)
		}
	}
	return variables
}

// pipeline writes a .gitlab-ci.yml that includes the file of this repository.
func (e *engine) pipeline(text string) {
	e.t.Helper()
	remote := regexp.MustCompile(`remote: \S+`)
	e.write(".gitlab-ci.yml", remote.ReplaceAllLiteralString(text, "local: .gitlab/audit.yml"))
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
