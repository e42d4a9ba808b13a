// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build engines

package pipelines_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// standIns replace the actions of others, which act cannot fetch here. The inputs are
// variables.
var standIns = map[string]string{
	"actions/checkout":          `cp -R "$CALLER/." .`,
	"hashicorp/setup-terraform": `command -v terraform`,
	"actions/upload-artifact":   `test ! -e no-artifacts && mkdir -p "$STORE/$name" && cp "$path" "$STORE/$name/"`,
}

// gh stores one issue for each name, and what it sends.
const gh = `test ! -e "$STORE/disabled" && test -n "$GH_TOKEN" || { echo "gh: HTTP 403" >&2; exit 1; }
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
	program, err := exec.CommandContext(t.Context(), "go", "tool", "-modfile="+root+"/internal/tools/act/go.mod", "-n", "act").Output()
	if err != nil {
		t.Fatalf("act cannot be built: %v", err)
	}
	e := &engine{host: newHost(t), store: t.TempDir()}
	e.report = filepath.Join(e.store, "convo-audit", "report.md")
	e.program("gh", gh)
	e.keep("comments.json", "[]")
	e.write(".github/workflows/audit.yml", read(t, example+"audit.yml"))
	action := t.TempDir()
	if err := os.CopyFS(filepath.Join(action, ".github/actions"), os.DirFS(root+"/.github/actions")); err != nil {
		t.Fatal(err)
	}
	arguments := []string{
		strings.TrimSpace(string(program)), "--platform", "ubuntu-latest=-self-hosted", "--no-skip-checkout", "--rm",
		"--local-repository", "convo/terraform-provider-convo@v0.1.0=" + action, "--secret", "GITHUB_TOKEN=ghs_1",
		"--var", "CONVO_BASE_URL=" + e.base, "--env", "CALLER=" + e.dir, "--env", "STORE=" + e.store,
	}
	files := read(t, example+"audit.yml") + read(t, root+"/.github/actions/audit/action.yml")
	for _, uses := range regexp.MustCompile(`uses: (([a-z]+/[a-z-]+)@\S+)`).FindAllStringSubmatch(files, -1) {
		arguments = append(arguments, "--local-repository", uses[1]+"="+standIn(t, uses[2]))
	}
	e.command = func(r run) (*exec.Cmd, *bytes.Buffer) {
		if r.cli != "" {
			e.edit(".github/workflows/audit.yml", "with: { accepted", "with: { cli: "+r.cli+", accepted")
		}
		return e.host.command(append(arguments, e.actArguments(r)...)...)
	}
	return e
}

// standIn writes a stand-in for an action, and returns its directory.
func standIn(t *testing.T, action string) string {
	t.Helper()
	script, found := standIns[action]
	if !found {
		t.Fatalf("the action %s has no stand-in", action)
	}
	content, err := json.Marshal(map[string]any{
		"name": action, "description": action, "inputs": map[string]any{"name": struct{}{}, "path": struct{}{}},
		"runs": map[string]any{"using": "composite", "steps": []any{map[string]any{
			"shell": "bash", "run": script,
			"env": map[string]string{"name": "${{ inputs.name }}", "path": "${{ inputs.path }}"},
		}}},
	})
	dir := t.TempDir()
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "action.yml"), content, 0o600)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// actArguments returns the arguments for a run.
func (e *engine) actArguments(r run) []string {
	e.t.Helper()
	type object = map[string]any
	events := map[string]object{
		schedule: {},
		manual:   {"ref": "refs/heads/main"},
		branch:   {"ref": "refs/heads/feature"},
		pull:     {"number": 7, "pull_request": object{"number": 7, "head": object{"repo": object{"full_name": "o/r"}}}},
		fork:     {"number": 7, "pull_request": object{"number": 7, "head": object{"repo": object{"full_name": "fork/r"}}}},
	}
	event := events[r.event]
	name := schedule
	switch r.event {
	case manual, branch:
		name = "workflow_dispatch"
		event["inputs"] = object{"accepted": r.accepted}
		event["repository"] = object{"default_branch": "main"}
	case pull, fork:
		name = "pull_request"
	}
	content, err := json.Marshal(event)
	file := filepath.Join(e.t.TempDir(), "event.json")
	if err = errors.Join(err, os.WriteFile(file, content, 0o600)); err != nil {
		e.t.Fatal(err)
	}
	arguments := []string{name, "--eventpath", file, "--env", "TF_CLI_ARGS=" + r.flags, "--actor", r.actor}
	for _, token := range r.tokens() {
		arguments = append(arguments, "--secret", token)
	}
	return arguments
}

// keep writes a file of the store.
func (e *engine) keep(file, content string) {
	e.t.Helper()
	if err := os.WriteFile(filepath.Join(e.store, file), []byte(content), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// Comments on a pull request are those of the audit, and other pull requests have no secrets.
func TestPullRequests(t *testing.T) {
	t.Parallel()
	e := newAct(t)
	e.attach()
	e.record()
	e.serve(movedDomain...)
	e.run("pull request", run{event: pull}, red, "")
	e.sends("gh api --silent repos/o/r/issues/7/comments -F body=@body.md\n", "body.md", "\n```\naccess_changed/agt_trade/")
	e.keep("comments.json", `[{"id": 40, "user": {"type": "Bot"}, "body": "<!-- convo-audit-shop -->\n"},
		{"id": 41, "user": {"type": "User"}, "body": "<!-- convo-audit -->\n"},
		{"id": 42, "user": {"type": "Bot"}, "body": "<!-- convo-audit -->\n"}]`)
	e.run("pull request, again", run{event: pull}, red, "")
	e.sends("gh api --silent --method PATCH repos/o/r/issues/comments/42 -F body=@body.md\n", "body.md", heading)
	e.run("Dependabot", run{event: pull, actor: "dependabot[bot]"}, skipped, "")
	e.sends("", "", "")
}

func TestInputs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ with, log string }{
		"long name": {`name: "` + strings.Repeat("n", 51) + `"`, "The name is not 1 to 50 letters, digits, and hyphens."},
		"no issues": {`issue: "false"`, "first_record/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newAct(t)
			e.attach()
			e.edit(".github/workflows/audit.yml", "with: { accepted", "with: { "+test.with+", accepted")
			e.run(name, run{}, red, test.log)
			e.sends("", "", "")
		})
	}
}

// What Terraform prints is not executed. What cannot be sent changes no result.
func TestHostFailures(t *testing.T) {
	t.Parallel()
	e := newAct(t)
	e.attach()
	e.edit("main.tf", `check "warnings" {`, "check \"command\" {\n  assert {\n    condition     = 1 > 2\n    error_message = "+
		"\"::warning::executed\"\n  }\n}\n\ncheck \"warnings\" {")
	e.record()
	e.write("no-artifacts", "")
	e.keep("disabled", "")
	e.serve(newRevision...)
	e.run("no artifacts", run{}, green, "⚙  ::warning::executed")
	e.has("Failure - Main Upload", "This command failed: gh issue list")
}
