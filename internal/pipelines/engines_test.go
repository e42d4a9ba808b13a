// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build engines

// Package pipelines_test runs the pipelines that audit a workspace with the engines act
// and gitlab-ci-local.
package pipelines_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const (
	root    = "../.."
	example = root + "/examples/audit-in-ci/"
	several = root + "/examples/audit-in-ci/several-workspaces/"
	action  = "/.github/actions/audit/action.yml"
)

// installation is the CLI with a build of the provider, the lock file for it, and act.
type installation struct {
	*cli.Scratch
	lock, act string
}

var installed = sync.OnceValues(func() (found installation, err error) {
	path, pathErr := cli.Find()
	dir, dirErr := filepath.Abs(root + "/dist/pipelines")
	if err := errors.Join(pathErr, dirErr); err != nil {
		return found, err
	}
	if found.Scratch, err = cli.NewScratch(context.Background(), path, dir); err != nil {
		return found, err
	}
	found.Stdout = io.Discard
	_ = os.Remove(dir + "/.terraform.lock.hcl")
	err = os.WriteFile(dir+"/main.tf", []byte(read(example+"main.tf")), 0o600)
	err = errors.Join(err, found.Run(context.Background(), dir, nil, "init"))
	found.lock = read(dir + "/.terraform.lock.hcl")
	tool := exec.CommandContext(context.Background(), "go", "tool", "-modfile="+root+"/internal/tools/act/go.mod", "-n", "act")
	program, toolErr := tool.Output()
	found.act = strings.TrimSpace(string(program))
	return found, errors.Join(err, toolErr)
})

// engine runs pipelines of a repository with the configuration of the example.
type engine struct {
	t        *testing.T
	cli      installation
	dir, bin string // the repository, and programs that its jobs find
	base     string // the service's URL
	service  *atomic.Pointer[http.Handler]
	backend  *backend
	path     string // instead of the PATH
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
	mux := http.NewServeMux()
	mux.Handle("/state", e.backend)
	mux.Handle("/api/", apitest.Record(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.StripPrefix("/api", *e.service.Load()).ServeHTTP(w, r)
	})))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	e.base = server.URL + "/api"
	// Like the proxies of version managers, it looks at the name by which it is called.
	e.write(e.bin+"/terraform", "#!/bin/sh\ntest \"$(basename \"$0\")\" = terraform && exec "+found.CLI+` "$@"`)
	e.write(e.bin+"/broken-cli", "#!/bin/sh\nexit 1\n")
	e.write("main.tf", read(example+"main.tf"))
	e.write(".terraform.lock.hcl", found.lock)
	e.write("backend.tf.json", strings.ReplaceAll(backendBlock, "URL", server.URL+"/state"))
	return e
}

// record records the first audit, without a pipeline.
func (e *engine) record() {
	e.t.Helper()
	e.shell(`terraform init
		terraform apply -auto-approve -var 'accepted={first_record="Compared"}'
		terraform apply -auto-approve
		rm -r .terraform`)
	e.backend.status()
}

// respond makes another handler respond to the provider.
func (e *engine) respond(service http.Handler) { e.service.Store(&service) }

// serve makes the service return definitions with these changes, which are pairs of texts.
func (e *engine) serve(changes ...string) {
	seed := devserver.DefaultSeed()
	for i, agent := range seed.Agents {
		seed.Agents[i].Definition = []byte(strings.NewReplacer(changes...).Replace(string(agent.Definition)))
	}
	e.respond(apitest.Checked(devserver.New(seed)))
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
	e.write(file, strings.Replace(read(filepath.Join(e.dir, file)), before, after, 1))
}

// command returns a command that runs in the repository, with only the necessary
// variables of the system.
func (e *engine) command(arguments ...string) (*exec.Cmd, *bytes.Buffer) {
	command := exec.CommandContext(e.t.Context(), arguments[0], arguments[1:]...)
	output := &bytes.Buffer{}
	command.Dir, command.Stdout, command.Stderr = e.dir, output, output
	command.Env = []string{
		"PATH=" + e.bin + string(os.PathListSeparator) + cmp.Or(e.path, os.Getenv("PATH")), "HOME=" + e.bin,
		"TF_CLI_CONFIG_FILE=" + e.cli.Configuration(), "CHECKPOINT_DISABLE=1",
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

const backendBlock = `{"terraform": {"backend": {"http":
	{"address": "URL", "lock_address": "URL", "unlock_address": "URL", "retry_max": 0}}}}`

// backend is an HTTP backend with locks.
type backend struct {
	mu          sync.Mutex
	state, lock []byte
	known       string // the record when status was called last
	writing     func() // runs before each write
}

var recorded = regexp.MustCompile(`(?s)"type":\s*"convo_audit_record".*?"sensitive_attributes"`)

// status reports whether the state is locked, and whether the record in it is different
// since the last call.
func (b *backend) status() (locked, changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.known
	b.known = recorded.FindString(string(b.state))
	return b.lock != nil, b.known != known
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

const standInAction = `{"name": "Stand-in", "inputs": {"name": {}, "path": {}}, "runs": {"using": "composite", "steps": [
	{"shell": "bash", "run": SCRIPT, "env": {"name": "${{ inputs.name }}", "path": "${{ inputs.path }}"}}]}}`

// standIns replace the actions of others, which act cannot fetch here.
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
	e.report = e.store + "/convo-audit/report.md"
	e.write(e.bin+"/gh", gh)
	// act (v0.2) does not wait for the output of a step that fails, so that its last lines can be lost.
	e.write(e.bin+"/bash_env", "trap '[ $? = 0 ] || sleep 0.2' EXIT\n")
	e.write(e.store+"/comments.json", "[]")
	e.write(".github/workflows/audit.yml", read(example+"audit.yml"))
	provider := t.TempDir()
	e.write(provider+action, read(root+action))
	arguments := []string{
		e.cli.act, "--platform", "ubuntu-latest=-self-hosted", "--no-skip-checkout", "--rm",
		"--local-repository", "convo/terraform-provider-convo@v0.1.0=" + provider, "--secret", "GITHUB_TOKEN=ghs_1",
		"--var", "CONVO_BASE_URL=" + e.base, "--env", "CALLER=" + e.dir, "--env", "STORE=" + e.store,
		"--env", "BASH_ENV=" + e.bin + "/bash_env",
	}
	files := read(example+"audit.yml") + read(root+action)
	for _, uses := range regexp.MustCompile(`uses: (([a-z]+/[a-z-]+)@\S+)`).FindAllStringSubmatch(files, -1) {
		standIn := t.TempDir()
		e.write(standIn+"/action.yml", strings.Replace(standInAction, "SCRIPT", strconv.Quote(standIns[uses[2]]), 1))
		arguments = append(arguments, "--local-repository", uses[1]+"="+standIn)
	}
	e.arguments = func(r run) []string {
		if r.with != "" {
			e.edit(".github/workflows/audit.yml", "with: { accepted", "with: { "+r.with+", accepted")
		}
		return append(arguments, e.event(r)...)
	}
	return e
}

// event returns act's arguments for a run.
func (e *engine) event(r run) []string {
	e.t.Helper()
	accepted, _ := json.Marshal(r.accepted)
	file := filepath.Join(e.t.TempDir(), "event.json")
	e.write(file, strings.Replace(r.payload, "ACCEPTED", string(accepted), 1))
	arguments := []string{r.name, "--eventpath", file, "--env", "TF_CLI_ARGS=" + r.flags, "--actor", r.actor}
	for _, token := range r.tokens {
		arguments = append(arguments, "--secret", token)
	}
	return arguments
}

// newGitLab returns an engine that runs the file that users copy.
func newGitLab(t *testing.T) *engine {
	t.Helper()
	e := newEngine(t)
	e.report = e.dir + "/report.md"
	e.write(e.bin+"/apk", "#!/bin/sh\nexit 99\n") // All tools are there.
	e.write(".gitlab/audit.yml", read(root+"/.gitlab/audit.yml"))
	e.write(".gitlab-ci.yml", remote.ReplaceAllString(read(example+".gitlab-ci.yml"), "local: .gitlab/audit.yml"))
	e.arguments = func(r run) []string {
		variables := []string{
			"CI_DEFAULT_BRANCH=main", "CI_PIPELINE_SOURCE=" + r.source, "CI_COMMIT_BRANCH=" + r.branch,
			"CONVO_BASE_URL=" + e.base, "ACCEPTED=" + r.accepted, "TF_CLI_ARGS=" + r.flags,
			"AUDIT_CLI=" + cmp.Or(strings.TrimPrefix(r.with, "cli: "), "terraform"),
		}
		if r.event != fork {
			variables = append(variables, r.tokens...)
		}
		arguments := []string{
			"gitlab-ci-local", "--force-shell-executor", "--shell-isolation",
			"--ignore-predefined-vars", "CI_PIPELINE_SOURCE,CI_COMMIT_BRANCH,CI_DEFAULT_BRANCH",
		}
		for _, variable := range variables {
			arguments = append(arguments, "--variable", variable)
		}
		return arguments
	}
	return e
}

// without returns a directory with the programs of the PATH except for one.
func without(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	for _, path := range filepath.SplitList(os.Getenv("PATH")) {
		programs, _ := filepath.Glob(path + "/*")
		for _, found := range programs {
			if name := filepath.Base(found); name != program {
				_ = os.Symlink(found, filepath.Join(dir, name)) // The first one of a name counts.
			}
		}
	}
	return dir
}

// remote is what a .gitlab-ci.yml includes, instead of the file of this repository.
var remote = regexp.MustCompile(`remote: \S+`)

// read returns the content of a file, or nothing if it does not exist.
func read(path string) string {
	content, _ := os.ReadFile(path)
	return string(content)
}
