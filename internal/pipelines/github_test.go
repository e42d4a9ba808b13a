// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pipelines_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// workflowJob is a job of GitHub Actions.
type workflowJob struct {
	If, Concurrency      string
	Permissions, Outputs map[string]string
	Env                  map[string]string
	Steps                []workflowStep
}

type workflowStep struct {
	ID, Name, If, Uses, Run string
	Directory               string `json:"working-directory"`
	Env                     map[string]string
	With                    map[string]any
	ContinueOnError         bool `json:"continue-on-error"`
}

// called is the workflow, and the values of the expressions in it.
type called struct {
	*host
	jobs   map[string]workflowJob
	env    map[string]string
	values map[string]any
}

// call calls the workflow for an event. The pairs of names and values replace those of
// the event.
func (h *host) call(event string, pairs ...any) *called {
	h.t.Helper()
	var parsed struct {
		Env  map[string]string
		Jobs map[string]workflowJob
		On   struct {
			Call struct {
				Inputs map[string]struct{ Default any }
			} `json:"workflow_call"`
		}
	}
	parseYAML(h.t, read(h.t, workflow), &parsed)
	c := &called{h, parsed.Jobs, parsed.Env, map[string]any{
		"github.event_name": event, "github.repository": "o/r", "github.ref": "refs/heads/main", "github.ref_name": "main", "github.ref_type": "branch",
		"github.token": "ghs_1", "runner.temp": h.t.TempDir(), "secrets.CONVO_TOKEN": devserver.TokenWrite, "vars.CONVO_BASE_URL": h.base,
	}}
	for name, input := range parsed.On.Call.Inputs {
		c.values["inputs."+name] = input.Default
	}
	switch event {
	case "pull_request":
		maps.Copy(c.values, map[string]any{"github.event.pull_request.head.repo.full_name": "o/r", "github.ref": "refs/pull/7/merge"})
	case "workflow_dispatch":
		c.values["github.event.repository.default_branch"] = "main"
	}
	for pair := range slices.Chunk(pairs, 2) {
		c.values[pair[0].(string)] = pair[1]
	}
	for name, value := range parsed.Env {
		c.values["env."+name] = expand(h.t, value, c.values)
	}
	return c
}

// step returns a step of a job, and its environment.
func (c *called) step(job, name string) (workflowStep, []string) {
	c.t.Helper()
	index := slices.IndexFunc(c.jobs[job].Steps, func(s workflowStep) bool { return s.Name == name })
	if index < 0 {
		c.t.Fatalf("the job %s has no step %s", job, name)
	}
	step := c.jobs[job].Steps[index]
	temporary := fmt.Sprint(c.values["runner.temp"])
	environment := []string{
		"GITHUB_ACTIONS=true", "GITHUB_SERVER_URL=https://ghe.example", "GITHUB_REPOSITORY=o/r", "GITHUB_RUN_ID=9",
		"GITHUB_REF=" + fmt.Sprint(c.values["github.ref"]), "GITHUB_WORKSPACE=" + c.dir, "RUNNER_TEMP=" + temporary,
		"GITHUB_OUTPUT=" + filepath.Join(temporary, "output"), "GITHUB_STEP_SUMMARY=" + filepath.Join(temporary, "summary"),
	}
	for _, variables := range []map[string]string{c.env, step.Env} {
		for name, value := range variables {
			environment = append(environment, name+"="+expand(c.t, value, c.values))
		}
	}
	return step, environment
}

// startAudit starts the step that audits, as GitHub runs it.
func (c *called) startAudit() (*exec.Cmd, func() result) {
	c.t.Helper()
	step, environment := c.step("audit", "Audit")
	c.write(".convo/.github/workflows/audit.sh", read(c.t, script)) // An earlier step checks it out.
	c.write("step.sh", step.Run)
	command, log := c.command(filepath.Join(c.dir, expand(c.t, step.Directory, c.values)), environment, "bash", "-e", filepath.Join(c.dir, "step.sh"))
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	return command, func() result {
		c.t.Helper()
		err := command.Wait()
		c.log = log.String()
		temporary := fmt.Sprint(c.values["runner.temp"])
		output := readIfExists(c.t, filepath.Join(temporary, "output"))
		outcome, _ := strings.CutPrefix(strings.TrimSpace(output), "outcome=")
		report := readIfExists(c.t, filepath.Join(temporary, "audit", "report.md"))
		if summary := readIfExists(c.t, filepath.Join(temporary, "summary")); summary != report {
			c.t.Errorf("the summary is not the report:\n%s", summary)
		}
		return result{c.host, outcome, report, err == nil}
	}
}

func (c *called) audit() result {
	c.t.Helper()
	_, wait := c.startAudit()
	return wait()
}

// fakeGH lists the requests that change something in the file sent, and filters what
// GitHub would return in the way that gh does.
const fakeGH = `#!/bin/sh
test "$GH_HOST/$GH_REPO/$GH_ENTERPRISE_TOKEN" = ghe.example/o/r/ghs_1 || exit 1
test "$1 $2" != "issue list" || test ! -f %[1]s/disabled || { echo "the 'o/r' repository has disabled issues" >&2; exit 1; }
case "$*" in *--jq*) ;; *) echo "gh $*" >> %[1]s/sent ;; esac
while test $# -gt 0; do
  case $1 in --jq) jq -r "$2" %[1]s/listed.json ;; esac
  shift
done
`

// published is what the job that publishes the report does.
type published struct {
	sent, body, summary, log string
	passed                   bool
}

// publish runs the job that publishes the report, with the report of the artifact and
// existing comments or issues. The state consists of the result of the job that audits, of
// its steps, and of its outcome.
func (c *called) publish(state, report, listed string) published {
	c.t.Helper()
	result, rest, _ := strings.Cut(state, ":")
	last := strings.LastIndex(rest, ":")
	c.values["needs.audit.result"], c.values["needs.audit.outputs.steps"], c.values["needs.audit.outputs.outcome"] = result, rest[:last], rest[last+1:]
	dir := c.t.TempDir()
	c.values["runner.temp"] = dir
	step, environment := c.step("publish", "Publish")
	c.program("gh", fmt.Sprintf(fakeGH, c.bin))
	c.program("listed.json", listed)
	file := filepath.Join(dir, "step.sh")
	if err := os.WriteFile(file, []byte(step.Run), 0o600); err != nil {
		c.t.Fatal(err)
	}
	if report != "" {
		if err := os.WriteFile(filepath.Join(dir, "report.md"), []byte(report), 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
	command, log := c.command(dir, environment, "bash", "-e", file)
	err := command.Run()
	return published{
		strings.Join(c.written("sent"), "\n"), readIfExists(c.t, filepath.Join(dir, "body.md")), readIfExists(c.t, filepath.Join(dir, "summary")), log.String(), err == nil,
	}
}

// One audit is called in each way that a repository can call it.
func TestGitHub(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	first := h.call("schedule").audit().is("red", "not recorded", auditHeading)
	h.call("workflow_dispatch", "inputs.accepted", first.accepted("The numbers are right.")).audit().is("green", "recorded", auditHeading)
	h.serve(movedDomain[0], movedDomain[1])
	h.written("tokens")
	h.call("pull_request").audit().is("red", "not recorded", auditHeading)
	if diff := cmp.Diff([]string{"plan without a lock"}, h.written("tokens")); diff != "" {
		t.Errorf("unexpected commands with the token (-want +got):\n%s", diff)
	}
	red := h.call("schedule", "secrets.TF_ENV", "NOISE=%25 secret").audit().is("red", "not recorded", auditHeading)
	_, annotation, _ := strings.Cut(h.log, "\n::error::")
	if !strings.HasPrefix(annotation, "access_changed/agt_trade/") || strings.Count(annotation, "\n") != 1 {
		t.Errorf("the annotation is %q", annotation)
	}
	published := h.call("schedule").publish("failure:success:failure:red", red.report, "[]")
	if want := "<!-- convo-audit -->\n" + red.report + "\nTo accept findings, select **Actions** and **Run workflow**, and enter `{\"KEY\": \"REASON\"}`.\n" +
		"\n\n[Open the run](https://ghe.example/o/r/actions/runs/9)\n"; published.body != want {
		t.Errorf("the text of the issue is:\n%s", published.body)
	}
	// Each audit has its own directory.
	h.write("shop/main.tf", read(t, filepath.Join(h.dir, "main.tf")))
	h.write("shop/.terraform.lock.hcl", read(t, filepath.Join(h.dir, ".terraform.lock.hcl")))
	shop := h.call("schedule", "inputs.name", "audit-shop", "inputs.working-directory", "shop")
	if run := shop.audit(); run.outcome != "green" && run.outcome != "red" || !strings.HasPrefix(run.report, auditHeading) {
		t.Errorf("the audit of the directory is %s:\n%s", run.outcome, h.log)
	}
}

// Only scheduled runs, and manual runs on the default branch, record, and update the issue.
func TestGitHubEvents(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, test := range map[string]struct {
		event   string
		pairs   []any
		records bool
	}{
		"schedule":            {"schedule", nil, true},
		"manual":              {"workflow_dispatch", nil, true},
		"schedule, no apply":  {"schedule", []any{"inputs.apply", false}, false},
		"manual, no apply":    {"workflow_dispatch", []any{"inputs.apply", false}, false},
		"manual, branch":      {"workflow_dispatch", []any{"github.ref_name", "feature"}, false},
		"manual, tag as main": {"workflow_dispatch", []any{"github.ref_type", "tag"}, false},
		"pull request":        {"pull_request", nil, false},
		"push":                {"push", nil, false},
	} {
		c := h.call(test.event, test.pairs...)
		_, environment := c.step("audit", "Audit")
		if got := slices.Contains(environment, "AUDIT_RECORD=true"); got != test.records {
			t.Errorf("%s: records: %t", name, got)
		}
		isDefault := test.records || slices.Contains(test.pairs, "inputs.apply")
		if sent := c.publish("success:success:success:green", "# A\n", `[{"number": 3}]`).sent; (sent == "gh issue close 3 --comment The audit succeeded.") != isDefault {
			t.Errorf("%s: sent %q", name, sent)
		}
	}
	for name, test := range map[string]struct {
		pairs []any
		runs  bool
	}{
		"of the repository": {nil, true},
		"of a fork":         {[]any{"github.event.pull_request.head.repo.full_name", "fork/r"}, false},
		"of Dependabot":     {[]any{"github.actor", "dependabot[bot]"}, false},
	} {
		c := h.call("pull_request", test.pairs...)
		if got := truthy(evaluate(t, c.jobs["audit"].If, c.values)); got != test.runs {
			t.Errorf("the audit of a pull request %s runs: %t", name, got)
		}
	}
}

// Each outcome has its text, and only failed and red audits open or change the issue.
func TestGitHubOutcomes(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	const (
		create = "gh label create convo-audit --force\ngh issue create --title The audit failed (audit) --label convo-audit --body-file body.md"
		edit   = "gh issue edit 3 --body-file body.md"
		closes = "gh issue close 3 --comment The audit succeeded."
	)
	for name, test := range map[string]struct {
		state, report     string
		first, next, text string // requests without and with an issue, and the beginning of the text
	}{
		"green":             {"success:success:success:green", "# A\n", "", closes, "# A\n"},
		"red":               {"failure:success:failure:red", "# A\n", create, edit, "# A\n\nTo accept findings, "},
		"failed":            {"failure:success:failure:failed", "# A\n", create, edit, "# A\n"},
		"deferred":          {"failure:success:failure:deferred", "# A\n", "", "", "# A\n"},
		"canceled":          {"cancelled:success:cancelled:canceled", "# A\n", "", "", "# A\n"},
		"canceled in setup": {"cancelled:success:skipped:", "", "", "", "# Outcome of the audit: canceled\n"},
		"superseded":        {"cancelled::", "", "", "", "# Outcome of the audit: superseded\n\nA newer run replaced this run before it began, "},
		"no CLI":            {"failure:success:skipped:", "", "", "", "# Outcome of the audit: not started\n\nThe step that installs terraform 1.* failed."},
		"no checkout":       {"failure:failure:skipped:", "", "", "", "# Outcome of the audit: not started\n\nThe repository, or the script of this workflow, could not be checked out."},
		"timed out":         {"failure:success:failure:canceled", "# A\n", create, edit, "# Outcome of the audit: failed\n\nThe audit exceeded its maximum duration, or its runner was lost.\n"},
		"runner lost":       {"failure::", "", create, edit, "# Outcome of the audit: failed\n\nThe audit exceeded its maximum duration, or its runner was lost.\n"},
		"upload failed":     {"success:success:success:green", "", "", closes, "# Outcome of the audit: green\n\nThe report could not be stored. The summary of the run contains it.\n"},
		"red, not uploaded": {"failure:success:failure:red", "", create, edit, "# Outcome of the audit: red\n\nThe report could not be stored."},
	} {
		for listed, want := range map[string]string{"[]": test.first, `[{"number": 3}]`: test.next} {
			got := h.call("schedule").publish(test.state, test.report, listed)
			if got.sent != want || !got.passed {
				t.Errorf("%s, with the issues %s: passed %t, and sent %q\n%s", name, listed, got.passed, got.sent, got.log)
			}
			if !strings.HasPrefix(got.body, "<!-- convo-audit -->\n"+test.text) || test.report == "" && !strings.HasPrefix(got.summary, test.text[:len("# Outcome of the audit: ")]) {
				t.Errorf("%s: the text is %q, and the summary is %q", name, got.body, got.summary)
			}
		}
	}

	// Publishing that fails is a warning.
	h.program("disabled", "")
	got := h.call("schedule").publish("success:success:success:green", "# A\n", "[]")
	if !got.passed || got.sent != "" || !strings.Contains(got.log, "\n::warning::The report was not published.") {
		t.Errorf("passed %t, sent %q\n%s", got.passed, got.sent, got.log)
	}
}

func TestGitHubComments(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, test := range map[string]struct{ state, listed, want string }{
		"first": {"success:success:success:green", "[]", "gh pr comment 7 --body-file body.md"},
		"of another audit or a user": {
			"failure:success:failure:red",
			`[{"id": 40, "user": {"type": "Bot"}, "body": "<!-- convo-audit-shop -->\n"}, {"id": 41, "user": {"type": "User"}, "body": "<!-- convo-audit -->\n"}]`,
			"gh pr comment 7 --body-file body.md",
		},
		"two of this audit": {
			"failure:success:failure:failed",
			`[{"id": 42, "user": {"type": "Bot"}, "body": "<!-- convo-audit -->\n"}, {"id": 43, "user": {"type": "Bot"}, "body": "<!-- convo-audit -->\n"}]`,
			"gh api --silent --method PATCH repos/o/r/issues/comments/42 -F body=@body.md",
		},
		"superseded": {"cancelled::", "[]", ""},
	} {
		if got := h.call("pull_request").publish(test.state, "# A\n", test.listed); got.sent != test.want {
			t.Errorf("%s: sent %q\n%s", name, got.sent, got.log)
		}
	}
	if got := h.call("pull_request").publish("success:success:success:green", strings.Repeat("x", 70000), "[]"); len(got.body) > 65536 {
		t.Errorf("the comment has %d bytes", len(got.body))
	}
}

// The runner's signal reaches the CLI.
func TestGitHubReleasesTheLock(t *testing.T) {
	t.Parallel()
	catchInterrupts(t)
	h := newHost(t)
	b := h.useBackend()
	reads := h.hang()
	command, wait := h.call("schedule").startAudit()
	<-reads
	if !b.locked() {
		t.Error("the state is not locked during the plan")
	}
	signalShell(t, command)
	wait().is("canceled", "not recorded", "# The audit was canceled\n\n")
	if b.locked() {
		t.Error("the state is still locked")
	}
}

// Secrets reach one step, and expressions no script.
func TestGitHubIsolation(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	c := h.call("schedule", "inputs.name", "audit-shop")
	var artifacts []string
	for name, job := range c.jobs {
		for _, step := range job.Steps {
			if text := fmt.Sprint(step.Run, step.Env, step.With, job.Env, c.env); strings.Contains(text, "secrets.") != (step.Name == "Audit") {
				t.Errorf("the step %q has or lacks secrets: %s", step.Name, text)
			}
			if strings.Contains(step.Run, "${{") {
				t.Errorf("the script of the step %q contains an expression", step.Name)
			}
			if strings.Contains(step.Uses, "-artifact@") {
				artifacts = append(artifacts, expand(t, fmt.Sprint(step.With["name"]), c.values))
				if !step.ContinueOnError {
					t.Errorf("an artifact that fails ends the job %s", name)
				}
			}
			if strings.Contains(step.Uses, "checkout@") && step.With["persist-credentials"] != false {
				t.Errorf("the token persists in the job %s", name)
			}
		}
	}
	if got := lines(artifacts); got != "convo-audit-shop\nconvo-audit-shop" {
		t.Errorf("the artifacts are %q", got)
	}
	if got := expand(t, c.jobs["audit"].Concurrency, c.values); got != "convo-audit-shop-refs/heads/main" {
		t.Errorf("the concurrency group is %q", got)
	}
	for name, want := range map[string]string{"audit": "contents: read, id-token: write", "publish": "issues: write, pull-requests: write"} {
		var permissions []string
		for permission, access := range c.jobs[name].Permissions {
			permissions = append(permissions, permission+": "+access)
		}
		if got := strings.ReplaceAll(lines(permissions), "\n", ", "); got != want {
			t.Errorf("the job %s has the permissions %s", name, got)
		}
	}
}
