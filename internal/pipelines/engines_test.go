// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build engines

package pipelines_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// standIns replace the actions that the workflow uses, because act can neither fetch them
// here nor store artifacts in their current format. Each is an action's script with its
// inputs as variables.
var standIns = map[string]string{
	"actions/checkout": `if test -z "$path"; then cp -R "$CALLER/." .; else
  mkdir -p "$path/.github/workflows" && cp "$CONVO/.github/workflows/audit.sh" "$path/.github/workflows/"
fi`,
	"hashicorp/setup-terraform": `test "$terraform_version" != 0.0.0 && command -v terraform`,
	"opentofu/setup-opentofu":   `exit 1`,
	"actions/upload-artifact":   `test ! -e "$ARTIFACTS/broken" && mkdir -p "$ARTIFACTS/$name" && cp "$path" "$ARTIFACTS/$name/"`,
	"actions/download-artifact": `cp "$ARTIFACTS/$name/"* .`,
}

// engine runs whole pipelines of the directory of a host.
type engine struct {
	*host
	artifacts string // the directory of act's artifacts
	run       func(event string, arguments ...string) error
}

func (h *host) commit() {
	h.t.Helper()
	command, log := h.command(h.dir, nil, "sh", "-e", "-c", "git init -q -b main && git remote add origin https://github.com/o/r"+
		" && git add -A && git -c user.name=test -c user.email=test@example.com commit -qm Audit")
	if err := command.Run(); err != nil {
		h.t.Fatalf("%v\n%s", err, log)
	}
}

// absolute returns the absolute path of a file of this repository.
func absolute(t *testing.T, path string) string {
	t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// recorded is what happened to the record.
func (e *engine) recorded() string {
	if strings.Contains(e.log, "Apply complete!") {
		return "recorded"
	}
	return "not recorded"
}

// newAct runs the file that users copy with act.
func newAct(t *testing.T) *engine {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "tool", "-modfile="+root+"/internal/tools/act/go.mod", "-n", "act").Output()
	if err != nil {
		t.Fatalf("act cannot be built: %v", err)
	}
	h := newHost(t)
	e := &engine{host: h, artifacts: t.TempDir()}
	h.useBackend()
	h.write(".github/workflows/audit.yml", read(t, example+"audit.yml"))
	h.commit()
	h.program("gh", "#!/bin/sh\ncase \"$*\" in *--jq*) test ! -f "+h.bin+"/disabled ;; *) echo \"gh $*\" >> "+h.bin+"/sent ;; esac\n")
	home, directory := "HOME="+t.TempDir(), t.TempDir()
	arguments := []string{
		"--platform", "ubuntu-latest=-self-hosted", "--no-skip-checkout", "--rm",
		"--local-repository", "convo/terraform-provider-convo@v0.1.0=" + absolute(t, root),
		"--secret", "CONVO_TOKEN=" + devserver.TokenWrite, "--secret", "GITHUB_TOKEN=ghs_1", "--var", "CONVO_BASE_URL=" + h.base,
		"--env", "CALLER=" + h.dir, "--env", "CONVO=" + absolute(t, root), "--env", "ARTIFACTS=" + e.artifacts,
	}
	for _, uses := range regexp.MustCompile(`uses: ((\S+)@\S+)`).FindAllStringSubmatch(read(t, workflow), -1) {
		text, found := standIns[uses[2]]
		if !found {
			t.Fatalf("the action %s has no stand-in", uses[2])
		}
		action := filepath.Join(directory, strings.ReplaceAll(uses[1], "/", "-"))
		content := "name: Stand-in\ndescription: Stand-in\ninputs:\n  name: {}\n  path: {}\n  terraform_version: {}\nruns:\n  using: composite\n  steps:\n    - shell: bash\n" +
			"      env: { name: \"${{ inputs.name }}\", path: \"${{ inputs.path }}\", terraform_version: \"${{ inputs.terraform_version }}\" }\n" +
			"      run: |\n        " + strings.ReplaceAll(text, "\n", "\n        ") + "\n"
		if err := os.MkdirAll(action, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(action, "action.yml"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, "--local-repository", uses[1]+"="+action)
	}
	e.run = func(event string, more ...string) error {
		t.Helper()
		_ = os.RemoveAll(filepath.Join(e.artifacts, "convo-audit"))
		command, log := h.command(h.dir, []string{home}, slices.Concat([]string{strings.TrimSpace(string(output)), event}, arguments, more)...)
		err := command.Run()
		h.log = regexp.MustCompile(`(?m)^\[audit/audit/(?:audit|publish)\] +\| `).ReplaceAllString(log.String(), "")
		if strings.Contains(h.log, devserver.TokenWrite) {
			t.Errorf("the token is in the log:\n%s", h.log)
		}
		return err
	}
	return e
}

// event writes the event of a run, and returns the argument that passes it to act.
func (e *engine) event(event map[string]any) []string {
	e.t.Helper()
	content, err := json.Marshal(event)
	if err != nil {
		e.t.Fatal(err)
	}
	file := filepath.Join(e.t.TempDir(), "event.json")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		e.t.Fatal(err)
	}
	return []string{"--eventpath", file}
}

// expect compares a run with what it is meant to do.
func (e *engine) expect(situation string, err error, passes bool, recorded, sent string) {
	e.t.Helper()
	got := strings.Join(e.written("sent"), "\n")
	e.t.Logf("%s: passed: %t, %s, sent: %q", situation, err == nil, e.recorded(), got)
	if (err == nil) != passes || e.recorded() != recorded || got != sent {
		e.t.Errorf("%s: want passed: %t, %s, sent: %q\n%s", situation, passes, recorded, sent, e.log)
	}
}

func TestEngineAct(t *testing.T) {
	t.Parallel()
	e := newAct(t)
	const creates = "gh label create convo-audit --force\ngh issue create --title The audit failed (audit) --label convo-audit --body-file body.md"
	manual := func(accepted string) []string {
		return e.event(map[string]any{"inputs": map[string]string{"accepted": accepted}, "repository": map[string]string{"default_branch": "main"}})
	}
	e.expect("first", e.run("schedule"), false, "not recorded", creates)
	e.expect("first, accepted", e.run("workflow_dispatch", manual(result{host: e.host}.accepted("The numbers are right."))...), true, "recorded", "")

	e.serve(movedDomain[0], movedDomain[1])
	e.expect("red", e.run("schedule"), false, "not recorded", creates)
	accepted := result{host: e.host}.accepted(`Moved from ${OLD}, 100%{sic}, "sure"`)
	pull := map[string]any{"number": 7, "pull_request": map[string]any{"number": 7, "head": map[string]any{"ref": "x", "repo": map[string]string{"full_name": "o/r"}}}}
	e.expect("pull request", e.run("pull_request", e.event(pull)...), false, "not recorded", "gh pr comment 7 --body-file body.md")
	e.program("disabled", "")
	e.expect("accepted, without issues", e.run("workflow_dispatch", manual(accepted)...), true, "recorded", "")
	if !strings.Contains(e.log, "The report was not published.") {
		t.Errorf("no warning:\n%s", e.log)
	}
	if err := os.Remove(filepath.Join(e.bin, "disabled")); err != nil {
		t.Fatal(err)
	}
	e.serve(append(movedDomain[:], `"revision": "64"`, `"revision": "65"`)...)
	if err := os.WriteFile(filepath.Join(e.artifacts, "broken"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e.expect("green, but not uploaded", e.run("schedule"), true, "recorded", "")

	// The CLI cannot be installed.
	caller := strings.Replace(read(t, example+"audit.yml"), "with: {", `with: { version: "0.0.0",`, 1)
	e.write(".github/workflows/audit.yml", caller)
	e.expect("not started", e.run("schedule"), false, "not recorded", "")
}

// newGitLab runs the file that users copy with gitlab-ci-local.
func newGitLab(t *testing.T, api string) *engine {
	t.Helper()
	for tool, install := range map[string]string{
		"gitlab-ci-local": "npm install --global gitlab-ci-local@4.75.1, with Node.js 22 or later", "rsync": "the package manager, as rsync",
	} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is not installed. Install it with %s.", tool, install)
		}
	}
	h := newHost(t)
	e := &engine{host: h}
	h.useBackend()
	h.program("apk", "#!/bin/sh\n")
	h.write(".gitlab/audit.yml", read(t, pipeline))
	remote := regexp.MustCompile(`remote: \S+`).ReplaceAllLiteralString(read(t, example+".gitlab-ci.yml"), "local: .gitlab/audit.yml")
	h.write(".gitlab-ci.yml", strings.Replace(remote, "inputs: { name: audit }", "inputs: { name: audit, script: \"file://"+absolute(t, script)+"\" }", 1))
	h.commit()
	e.run = func(source string, more ...string) error {
		t.Helper()
		arguments := []string{"--force-shell-executor", "--ignore-predefined-vars", "CI_PIPELINE_SOURCE,CI_API_V4_URL,CI_COMMIT_BRANCH,CI_DEFAULT_BRANCH"}
		for _, variable := range append([]string{
			"CI_PIPELINE_SOURCE=" + source, "CI_API_V4_URL=" + api, "CONVO_TOKEN=" + devserver.TokenWrite, "CONVO_BASE_URL=" + h.base, "GITLAB_TOKEN=glpat-1",
		}, more...) {
			arguments = append(arguments, "--variable", variable)
		}
		command, log := h.command(h.dir, nil, append([]string{"gitlab-ci-local"}, arguments...)...)
		err := command.Run()
		h.log = regexp.MustCompile(`(?m)^\S+ +> `).ReplaceAllString(log.String(), "")
		if strings.Contains(h.log, devserver.TokenWrite) {
			t.Errorf("the token is in the log:\n%s", h.log)
		}
		return err
	}
	return e
}

func TestEngineGitLab(t *testing.T) {
	t.Parallel()
	status, sent := "success", []string(nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodGet:
			sent = append(sent, r.Method+" "+regexp.MustCompile(`^/projects/\d+`).ReplaceAllString(r.URL.Path, ""))
		case r.URL.Path == "/user":
			_, _ = io.WriteString(w, `{"id": 1}`)
		case strings.HasSuffix(r.URL.Path, "/jobs"):
			_, _ = fmt.Fprintf(w, `[{"name": "audit", "status": %q}]`, status)
		default:
			_, _ = io.WriteString(w, "[]")
		}
	}))
	t.Cleanup(server.Close)
	e := newGitLab(t, server.URL)
	expect := func(situation string, err error, passes bool, recorded, request string) {
		t.Helper()
		e.program("sent", strings.Join(sent, "\n"))
		sent = nil
		e.expect(situation, err, passes, recorded, request)
	}
	status = "failed"
	expect("first", e.run("schedule"), false, "not recorded", "POST /issues")
	accepted := result{host: e.host}.accepted("The numbers are right.")
	status = "success"
	expect("first, accepted", e.run("web", "ACCEPTED="+accepted), true, "recorded", "")
	e.serve(movedDomain[0], movedDomain[1])
	status = "failed"
	expect("red", e.run("schedule"), false, "not recorded", "POST /issues")
	accepted = result{host: e.host}.accepted(`Moved, 100%{sic}, "sure"`)
	status = "success"
	expect("merge request", e.run("merge_request_event", "CI_MERGE_REQUEST_IID=5", "CI_COMMIT_BRANCH=", "ACCEPTED="+accepted), true, "not recorded", "POST /merge_requests/5/notes")
}
