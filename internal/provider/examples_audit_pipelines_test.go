// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// movedDomain is an access change: an agent that another domain serves.
var movedDomain = []string{`"domain": "trade.larkspur-bicycles.example"`, `"domain": "elsewhere.example"`}

var acceptedKey = regexp.MustCompile(`access_changed/agt_trade/[a-z2-7]{24}`)

const auditHeading = "# Audit of Larkspur Bicycles\n"

// auditElsewhere runs the pipelines of GitHub and GitLab.
func auditElsewhere(e *example) {
	auditOnGitHub(e)
	auditOnGitLab(e)
	auditCallers(e)
	auditWebhooks(e)
}

// auditOnGitHub runs the called workflow in every way that a repository can call it.
func auditOnGitHub(e *example) {
	h := newHosted(e)
	e.service = startService(e.t)
	e.succeeds("rm -rf terraform.tfstate .terraform; terraform init")

	// A scheduled run records the audit, and closes the issue.
	run := h.onGitHub("schedule")
	run.is("success", "recorded", auditHeading)
	run.publishes("success", `[{"number": 3}]`, "gh issue close 3 --comment The audit succeeded.")
	run.publishes("success", `[]`)
	if diff := cmp.Diff([]string{"plan", "apply"}, h.taken("tokens")); diff != "" {
		e.t.Errorf("unexpected commands with the token (-want +got):\n%s", diff)
	}
	before := e.read(filepath.Join(e.dir, "terraform.tfstate"))

	// A pull request records nothing, and has one comment of each audit.
	e.revise("agt_trade", movedDomain...)
	run = h.onGitHub("pull_request")
	run.is("failure", "not recorded", auditHeading)
	if diff := cmp.Diff([]string{"plan without a lock"}, h.taken("tokens")); diff != "" {
		e.t.Errorf("unexpected commands with the token (-want +got):\n%s", diff)
	}
	run.publishes("failure", `[]`, "gh pr comment 7 --body-file body.md")
	run.publishes("failure", `[
		{"id": 40, "user": {"type": "Bot"}, "body": "<!-- convo-audit-shop -->\n"}, {"id": 41, "user": {"type": "User"}, "body": "<!-- convo-audit -->\n"},
		{"id": 42, "user": {"type": "Bot"}, "body": "<!-- convo-audit -->\n"}, {"id": 43, "user": {"type": "Bot"}, "body": "<!-- convo-audit -->\n"}
	]`, "gh api --silent --method PATCH repos/o/r/issues/comments/42 -F body=@body.md")
	h.values["github.event.pull_request.head.repo.full_name"] = "fork/r"
	if got := h.gitHub("audit"); got != "skipped" {
		e.t.Errorf("the audit of a fork: %s", got)
	}

	// A change of access fails every run until it is accepted, and the record is kept.
	var key string
	for range 2 {
		run = h.onGitHub("schedule")
		run.is("failure", "not recorded", auditHeading)
		key = acceptedKey.FindString(h.log)
		e.contains("the report", run.report, []string{"`" + key + "`"})
		if key == "" || strings.Contains(run.report, "## Errors") {
			e.t.Errorf("the key is %q, and the report repeats the errors:\n%s", key, run.report)
		}
	}
	const create = "gh issue create --title The audit failed (audit) --label convo-audit --body-file body.md"
	run.publishes("failure", `[]`, "gh label create convo-audit --force", create)
	run.publishes("failure", `[{"number": 3}]`, "gh issue edit 3 --body-file body.md")
	if after := e.read(filepath.Join(e.dir, "terraform.tfstate")); after != before {
		e.t.Error("a failed run has changed the record")
	}

	// A manual run accepts it, but records it only on the default branch.
	accepted := fmt.Sprintf(`{%q: "Moved, and 100%% \"sure\""}`, key)
	run = h.onGitHub("workflow_dispatch", "inputs.accepted", accepted, "github.ref_name", "feature")
	run.is("success", "not recorded", auditHeading)
	run.publishes("success", `[{"number": 3}]`)
	// A tag can have the name of the branch.
	h.onGitHub("workflow_dispatch", "inputs.accepted", accepted, "github.ref_type", "tag").is("success", "not recorded", auditHeading)
	h.onGitHub("workflow_dispatch", "inputs.accepted", accepted, "inputs.apply", false).is("success", "not recorded", auditHeading)
	e.write("terraform.tfvars", "accepted = {}\n")
	run = h.onGitHub("workflow_dispatch", "inputs.accepted", accepted)
	run.is("success", "recorded", auditHeading)
	run.publishes("success", `[{"number": 3}]`, "gh issue close 3 --comment The audit succeeded.")
	h.onGitHub("schedule", "inputs.accepted", "").is("success", "recorded", auditHeading)

	// Without the input, the value in the file applies.
	e.revise("agt_trade", movedDomain[0], `"domain": "third.example"`)
	h.onGitHub("schedule").is("failure", "not recorded", auditHeading)
	e.write("terraform.tfvars", fmt.Sprintf("accepted = {%q = \"Moved\"}\n", acceptedKey.FindString(h.log)))
	h.onGitHub("schedule", "inputs.accepted", " { } ").is("success", "recorded", auditHeading)
	e.succeeds("rm terraform.tfvars")

	auditGitHubFailures(e, h)
	auditGitHubNames(e, h)
}

// auditGitHubFailures ends runs in other ways than with a finding.
func auditGitHubFailures(e *example, h *hosted) {
	e.service = startService(e.t)
	run := h.onGitHub("schedule", "secrets.CONVO_TOKEN", "wrong")
	run.is("failure", "not recorded", "# The audit failed\n\n## Errors\n\n")
	e.contains("the report", run.report, []string{"401 Unauthorized"})

	// The apply fails, although the plan has succeeded.
	e.write("main.tf", strings.Replace(e.read(filepath.Join(e.source, "main.tf")), "errors) == 0", "errors) >= 0", 1))
	run = h.onGitHub("schedule")
	run.is("failure", "not recorded", auditHeading)
	e.contains("the report", run.report, []string{"\n## Errors\n\n", "Error: Changes are not accepted"})
	e.revise("agt_trade", movedDomain[0], `"domain": "third.example"`)
	e.write("main.tf", strings.Replace(e.read(filepath.Join(e.source, "main.tf")), `output "report"`, `output "other"`, 1))
	run = h.onGitHub("schedule")
	run.is("failure", "not recorded", "# The audit failed\n\n## Errors\n\n    Error: The plan contains no value of the output \"report\".\n")
	e.take("main.tf", "main.tf")

	// The log shows the progress. What would end the code block of the errors is removed, and so
	// are secrets.
	h.program("fake-plan", `echo "2026-01-01T00:00:00Z [INFO]  provider.x: Auditing agents: 459 of 2000 reads done in 10s, time left: 34s: tf_rpc=Read
2026-01-01T00:00:00Z [DEBUG] provider.x: Sent a request: @module=convo
2026-01-01T00:00:00Z [INFO]  provider.x: Still retrying GET /v1/agents after 10 attempts, the last with status 429: @module=convo" >> "$TF_LOG_PATH"
printf 'Error: a\rb\033[31m %s\n' "$PASSWORD" >&2; head -c 100000 /dev/zero | tr '\0' 'x' >&2; exit 1
`)
	run = h.onGitHub("schedule", "secrets.TF_ENV", `PASSWORD=\p*[a] "secret"`)
	run.is("failure", "not recorded", "# The audit failed\n\n## Errors\n\n    Error: ab[31m ***\n    xxx")
	e.contains("the log", h.log, []string{
		"\nAuditing agents: 459 of 2000 reads done in 10s, time left: 34s\nStill retrying GET /v1/agents after 10 attempts, the last with status 429\n",
	})
	if len(run.report) > 5000 {
		e.t.Errorf("the report has %d bytes", len(run.report))
	}
	e.succeeds("rm " + filepath.Join(h.bin, "fake-plan"))

	// The run ends before or during the audit.
	run = h.onGitHub("schedule", "cancelled", "Audit")
	const ended = "# The audit did not finish\n\nThe run was canceled, or exceeded its maximum duration of 60 minutes.\n"
	run.is("cancelled", "not recorded", ended)
	run.publishes("cancelled", `[{"number": 3}]`, "gh issue edit 3 --body-file body.md")
	h.program("fake-plan", "kill -KILL $PPID; exit 1\n")
	h.onGitHub("schedule").is("failure", "not recorded", ended)
	e.succeeds("rm " + filepath.Join(h.bin, "fake-plan"))
	h.onGitHub("schedule", "inputs.cli", "no-such-cli").is("failure", "not recorded",
		"# The audit failed\n\n## Errors\n\n    Error: The runner has no program no-such-cli.\n")
	e.succeeds("rm " + filepath.Join(h.temporary, "report.md"))
	run.report = strings.Replace(ended, "or exceeded its maximum duration of 60 minutes", "exceeded its maximum duration, or lost its runner", 1)
	run.publishes("cancelled", `[{"number": 3}]`, "gh issue edit 3 --body-file body.md")
	lock := e.read(filepath.Join(e.dir, ".terraform.lock.hcl"))
	e.succeeds("rm -r .terraform .terraform.lock.hcl")
	h.onGitHub("schedule").is("failure", "not recorded", "# The audit failed\n\n## Errors\n\n")
	e.write(".terraform.lock.hcl", lock)
}

// auditGitHubNames audits what has hostile names, and several workspaces of one
// repository.
func auditGitHubNames(e *example, h *hosted) {
	seed := devserver.DefaultSeed()
	for i, agent := range seed.Agents {
		if agent.ID == "agt_returns" {
			seed.Agents[i].Summary = []byte(strings.Replace(string(agent.Summary), `"Returns & refunds"`, `"a\r# @all\r\n::error::b\n##[error]c\u001b[31m\u202e"`, 1))
		}
	}
	e.service = startService(e.t, withSeed(seed), withFault(func(r *http.Request) http.Handler {
		if strings.HasPrefix(r.URL.Path, "/v1/agents/agt_returns") {
			return devserver.ErrorHandler(http.StatusForbidden)
		}
		return nil
	}))
	run := h.onGitHub("pull_request", "secrets.TF_ENV", "NOISE\nTF_VAR_unused=100%25 secret\r\nLAST=short")
	run.is("failure", "not recorded", auditHeading)
	before, after, _ := strings.Cut(h.log, "::stop-commands::")
	token, log, _ := strings.Cut(after, "\n")
	if before != "::add-mask::100%2525 secret\n" || len(token) != 32 {
		e.t.Errorf("commands are stopped with the token %q after:\n%s", token, before)
	}
	if strings.Contains(log, token) || strings.ContainsAny(run.report, "\r\x1b\u202e") || strings.Contains(run.report, "##[") {
		e.t.Errorf("the log has the token twice, or the report contains what the name contains:\n%s\n%s", log, run.report)
	}
	if strings.Contains(log, devserver.TokenWrite) {
		e.t.Errorf("the token is in the log:\n%s", log)
	}

	// Each audit has its own configuration, comment, issue, artifact, and queue.
	e.service = startService(e.t)
	e.succeeds("mkdir shop; cp main.tf .terraform.lock.hcl shop/")
	shop := []any{"inputs.name", "audit-shop", "inputs.working-directory", "shop"}
	run = h.onGitHub("pull_request", shop...)
	run.publishes("success", `[{"id": 42, "user": {"type": "Bot"}, "body": "<!-- convo-audit -->\n"}]`, "gh pr comment 7 --body-file body.md")
	run = h.onGitHub("schedule", shop...)
	run.is("success", "recorded", auditHeading)
	e.succeeds("test -f shop/terraform.tfstate")
	run.publishes("failure", `[]`, "gh label create convo-audit-shop --force",
		"gh issue create --title The audit failed (audit-shop) --label convo-audit-shop --body-file body.md")
	jobs := h.gitHubJobs()
	if got := h.expand(jobs["audit"].Concurrency); got != "convo-audit-shop-refs/heads/main" {
		e.t.Errorf("the concurrency group is %q", got)
	}
	var artifacts []string
	for _, job := range []string{"audit", "publish"} {
		for _, step := range jobs[job].Steps {
			if strings.Contains(step.Uses, "-artifact@") {
				artifacts = append(artifacts, h.expand(fmt.Sprint(step.With["name"])))
			}
			// Only one step has secrets.
			if text := fmt.Sprint(step.Run, step.Env, step.With, jobs[job].Env); strings.Contains(text, "secrets.") != (step.Name == "Audit") {
				e.t.Errorf("the step %q has or lacks secrets: %s", step.Name, text)
			}
			if strings.Contains(step.Run, "${{") {
				e.t.Errorf("the script of the step %q contains an expression", step.Name)
			}
		}
	}
	if diff := cmp.Diff([]string{"convo-audit-shop", "convo-audit-shop"}, artifacts); diff != "" {
		e.t.Errorf("unexpected artifacts (-want +got):\n%s", diff)
	}
}

// hostedRun is a run of the job that audits.
type hostedRun struct {
	*hosted
	result, report string
}

// onGitHub runs the job that audits. The pairs of names and values replace those of
// the event.
func (h *hosted) onGitHub(event string, pairs ...any) hostedRun {
	h.t.Helper()
	h.temporary = h.t.TempDir()
	h.values = map[string]any{
		"github.event_name": event, "github.repository": "o/r", "github.server_url": "https://github.example", "github.run_id": "9",
		"github.ref": "refs/heads/main", "github.ref_name": "main", "github.ref_type": "branch",
		"inputs.name": "audit", "inputs.working-directory": ".", "inputs.cli": "terraform", "inputs.apply": true, "inputs.accepted": "{}", "inputs.timeout-minutes": 60,
		"secrets.CONVO_TOKEN": devserver.TokenWrite, "vars.CONVO_BASE_URL": h.service.BaseURL,
	}
	switch event {
	case "pull_request":
		h.values["github.event.pull_request.head.repo.full_name"], h.values["github.event.pull_request.number"] = "o/r", "7"
	case "workflow_dispatch":
		h.values["github.event.repository.default_branch"] = "main"
	}
	for pair := range slices.Chunk(pairs, 2) {
		h.values[pair[0].(string)] = pair[1]
	}
	run := hostedRun{hosted: h, result: h.gitHub("audit")}
	run.report = h.read(filepath.Join(h.temporary, "report.md"))
	if summary := h.read(filepath.Join(h.temporary, "summary.md")); summary != run.report {
		h.t.Errorf("the summary is not the report:\n%s", summary)
	}
	return run
}

// is compares the result, whether the audit was recorded, and how the report begins.
func (r hostedRun) is(result, recorded, report string) {
	r.t.Helper()
	if got := recordedIn(r.log); r.result != result || got != recorded {
		r.t.Errorf("the run is a %s and %s, not a %s and %s:\n%s", r.result, got, result, recorded, r.log)
	}
	if !strings.HasPrefix(r.report, report) {
		r.t.Errorf("the report does not begin with %q:\n%s", report, r.report)
	}
}

func recordedIn(log string) string {
	if strings.Contains(log, "Apply complete!") {
		return "recorded"
	}
	return "not recorded"
}

// publishes runs the job that publishes the report, where gh lists existing comments
// or issues, and compares what it sends.
func (r hostedRun) publishes(result, listed string, want ...string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.bin, "listed.json"), []byte(listed), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.values["needs.audit.result"] = result
	if got := r.gitHub("publish"); got != "success" {
		r.t.Errorf("the report is not published: %s\n%s", got, r.log)
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), strings.Join(r.taken("sent"), "\n")); diff != "" {
		r.t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
	name := fmt.Sprint(r.values["inputs.name"])
	body := "<!-- convo-" + name + " -->\n" + r.report + "\n\n[Open the run](https://github.example/o/r/actions/runs/9)\n"
	if diff := cmp.Diff(body, r.read(filepath.Join(r.temporary, "body.md"))); diff != "" {
		r.t.Errorf("unexpected text (-want +got):\n%s", diff)
	}
}

// auditOnGitLab runs the included pipeline.
func auditOnGitLab(e *example) {
	h := newHosted(e)
	h.temporary = e.t.TempDir()
	e.service = startService(e.t)
	e.succeeds("rm -rf terraform.tfstate .terraform shop; terraform init")

	h.onGitLab("schedule").is("success", "recorded", auditHeading)
	if diff := cmp.Diff([]string{"plan", "apply"}, h.taken("tokens")); diff != "" {
		e.t.Errorf("unexpected commands with the token (-want +got):\n%s", diff)
	}
	e.revise("agt_trade", movedDomain...)
	run := h.onGitLab("schedule")
	run.is("failed", "not recorded", auditHeading)
	key := acceptedKey.FindString(h.log)
	if key == "" || strings.Contains(run.report, "## Errors") {
		e.t.Errorf("the key is %q, and the report repeats the errors:\n%s", key, run.report)
	}
	accepted := fmt.Sprintf(`ACCEPTED={%q: "Moved, and 100%% \"sure\""}`, key)
	h.onGitLab("merge_request_event", accepted).is("success", "not recorded", auditHeading)
	h.onGitLab("web", accepted, "$CI_COMMIT_BRANCH=feature").is("success", "not recorded", auditHeading)
	e.write("terraform.tfvars", "accepted = "+strings.TrimPrefix(accepted, "ACCEPTED="))
	h.onGitLab("merge_request_event", "ACCEPTED= { }\n").is("success", "not recorded", auditHeading)
	e.succeeds("rm terraform.tfvars")
	h.onGitLab("web", accepted).is("success", "recorded", auditHeading)
	h.onGitLab("schedule").is("success", "recorded", auditHeading)
	for _, source := range []string{"push", "merge_request_event"} {
		h.onGitLab(source, "$CONVO_TOKEN=").is("skipped", "not recorded", "")
	}

	h.onGitLab("schedule", "CONVO_TOKEN=wrong").is("failed", "not recorded", "# The audit failed\n\n## Errors\n\n")
	h.program("fake-apply", "echo 'Error: Saved plan is stale' >&2; exit 1\n")
	run = h.onGitLab("schedule")
	run.is("failed", "not recorded", auditHeading)
	e.contains("the report", run.report, []string{"\n## Errors\n\n    Error: Saved plan is stale\n"})
	h.program("fake-plan", `echo "2026-01-01T00:00:00Z [INFO]  provider.x: Auditing agents: 459 of 2000 reads done in 10s, time left: 34s: tf_rpc=Read" >> "$TF_LOG_PATH"`)
	h.onGitLab("schedule").is("failed", "not recorded", "# The audit failed\n\n## Errors\n\n    Error: The plan contains no value of the output \"report\".\n")
	e.contains("the log", h.log, []string{"\nAuditing agents: 459 of 2000 reads done in 10s, time left: 34s\n"})

	jobs := h.gitLabJobs(map[string]string{"name": "audit-shop"})
	names := []string{jobs["audit-shop"].ResourceGroup, jobs["audit-shop"].Artifacts.Paths[0], jobs["audit-shop-publish"].Needs[0].Job}
	if diff := cmp.Diff([]string{"convo-audit-shop", "convo-audit-shop.md", "audit-shop"}, names); diff != "" {
		e.t.Errorf("unexpected names (-want +got):\n%s", diff)
	}
	auditGitLabPublished(e, h)
}

// onGitLab runs the job that audits. Names with a dollar sign are values of rules, and
// others are variables.
func (h *hosted) onGitLab(source string, variables ...string) hostedRun {
	h.t.Helper()
	h.gitLabEvent(source)
	environment := append(h.service.variables(), "GITLAB_TOKEN=glpat-1")
	for _, variable := range variables {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "$") {
			h.values[name] = value
		} else {
			environment = append(environment, variable)
		}
	}
	h.succeeds("rm -f convo-audit.md")
	run := hostedRun{hosted: h, result: h.gitLab("audit", nil, environment...)}
	if run.result != "skipped" {
		run.report = h.read(filepath.Join(h.dir, "convo-audit.md"))
	}
	return run
}

func (h *hosted) gitLabEvent(source string) {
	h.values = map[string]any{"$CI_PIPELINE_SOURCE": source, "$CI_DEFAULT_BRANCH": "main", "$CONVO_TOKEN": devserver.TokenWrite, "$GITLAB_TOKEN": "glpat-1"}
	if source != "merge_request_event" {
		h.values["$CI_COMMIT_BRANCH"] = "main"
	}
}

// auditGitLabPublished runs the job that publishes the report, with a server that
// knows the result of the audit, the open issues, and the notes.
func auditGitLabPublished(e *example, h *hosted) {
	const text = "%3C%21--+convo-audit+--%3E%0A%23+A+%26+b%0A%0A%0A%5BOpen+the+pipeline%5D%28https%3A%2F%2Fgitlab.example%2F8%29%0A"
	unfinished := strings.Replace(text, "A+%26+b", "The+audit+did+not+finish%0A%0AThe+job+audit+was+canceled%2C+did+not+start%2C+or+exceeded+its+maximum+duration+%2860+minutes%29.", 1)
	for name, test := range map[string]struct {
		source, result, listed, report string
		want                           string
	}{
		"passed":         {source: "schedule", result: "success", listed: "[]"},
		"passed again":   {source: "schedule", result: "success", listed: `[{"iid": 3}, {"iid": 2}]`, want: "PUT /projects/7/issues/3 state_event=close"},
		"passed by hand": {source: "web", result: "success", listed: `[{"iid": 3}]`, want: "PUT /projects/7/issues/3 state_event=close"},
		"failed":         {source: "schedule", result: "failed", listed: "[]", report: "# A & b\n", want: "POST /projects/7/issues description=" + text + "&labels=convo-audit&title=The+audit+failed+%28audit%29"},
		"failed again":   {source: "web", result: "failed", listed: `[{"iid": 3}]`, report: "# A & b\n", want: "PUT /projects/7/issues/3 description=" + text},
		"did not finish": {source: "schedule", result: "failed", listed: `[{"iid": 3}]`, want: "PUT /projects/7/issues/3 description=" + unfinished},
		"unknown":        {source: "schedule"},
		"no audit":       {source: "merge_request_event", result: "success", listed: "[]"},
		"first note":     {source: "merge_request_event", result: "success", listed: "[]", report: "# A & b\n", want: "POST /projects/7/merge_requests/5/notes body=" + text},
		"note of two audits": {source: "merge_request_event", result: "success", report: "# A & b\n", want: "PUT /projects/7/merge_requests/5/notes/42 body=" + text,
			listed: `[{"id": 40, "author": {"id": 2}, "body": "<!-- convo-audit -->"}, {"id": 41, "author": {"id": 1}, "body": "<!-- convo-audit-shop -->"},
				{"id": 42, "author": {"id": 1}, "body": "<!-- convo-audit -->\n# A"}]`},
	} {
		var sent []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			switch request := r.Method + " " + r.URL.RequestURI(); {
			case r.Header.Get("Private-Token") != "glpat-1" || test.result == "":
				w.WriteHeader(http.StatusUnauthorized)
			case request == "GET /user":
				_, _ = io.WriteString(w, `{"id": 1}`)
			case request == "GET /projects/7/pipelines/8/jobs?per_page=100":
				_, _ = fmt.Fprintf(w, `[{"name": "audit-publish", "status": "running"}, {"name": "audit", "status": %q}]`, test.result)
			case request == "GET /projects/7/issues?state=opened&labels=convo-audit", request == "GET /projects/7/merge_requests/5/notes?sort=asc&per_page=100":
				_, _ = io.WriteString(w, test.listed)
			default:
				sent = append(sent, request+" "+r.PostForm.Encode())
			}
		}))
		e.succeeds("rm -f convo-audit.md")
		if test.report != "" {
			e.write("convo-audit.md", test.report)
		}
		h.gitLabEvent(test.source)
		variables := []string{"GITLAB_TOKEN=glpat-1", "CI_PROJECT_ID=7", "CI_PIPELINE_ID=8", "CI_PIPELINE_URL=https://gitlab.example/8", "CI_API_V4_URL=" + server.URL}
		if test.source == "merge_request_event" {
			variables = append(variables, "CI_MERGE_REQUEST_IID=5")
		}
		result := h.gitLab("audit-publish", nil, variables...)
		server.Close()
		if (result == "success") != (test.result != "") {
			e.t.Errorf("%s: the job ends with %s:\n%s", name, result, h.log)
		}
		if got := strings.Join(sent, "\n"); got != test.want {
			e.t.Errorf("%s: sent %q, want %q", name, got, test.want)
		}
	}
	h.gitLabEvent("schedule")
	delete(h.values, "$GITLAB_TOKEN")
	if got := h.gitLab("audit-publish", nil); got != "skipped" {
		e.t.Errorf("without a token, the job ends with %s", got)
	}
}

// auditCallers requires that the files that users copy are short, and pass only what
// the called files accept.
func auditCallers(e *example) {
	var caller struct {
		Jobs map[string]struct {
			Permissions, With, Secrets map[string]string
		}
	}
	e.parseYAML(e.read(filepath.Join(e.source, "audit.yml")), &caller)
	var called struct {
		On struct {
			Call struct {
				Inputs, Secrets map[string]any
			} `json:"workflow_call"`
		}
		Jobs map[string]struct{ Permissions map[string]string }
	}
	e.parseYAML(e.read(gitHubWorkflow), &called)
	granted := map[string]string{}
	for _, job := range called.Jobs {
		maps.Copy(granted, job.Permissions)
	}
	if diff := cmp.Diff(granted, caller.Jobs["audit"].Permissions); diff != "" {
		e.t.Errorf("unexpected permissions (-want +got):\n%s", diff)
	}
	for name := range caller.Jobs["audit"].With {
		if called.On.Call.Inputs[name] == nil {
			e.t.Errorf("the workflow has no input %s", name)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(called.On.Call.Secrets)), slices.Sorted(maps.Keys(caller.Jobs["audit"].Secrets))); diff != "" {
		e.t.Errorf("unexpected secrets (-want +got):\n%s", diff)
	}
	for _, file := range []string{"audit.yml", ".gitlab-ci.yml"} {
		lines := strings.Count(e.read(filepath.Join(e.source, "main.tf"))+e.read(filepath.Join(e.source, file)), "\n")
		if lines > 75 {
			e.t.Errorf("main.tf and %s have %d lines", file, lines)
		}
	}
}

// auditWebhooks sends the messages in the README.
func auditWebhooks(e *example) {
	_, commands, _ := strings.Cut(e.read(filepath.Join(e.source, "README.md")), "## Slack and Microsoft Teams")
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Header.Get("Content-Type")+" "+strings.Join(strings.Fields(string(body)), " "))
	}))
	defer server.Close()
	for _, block := range strings.Split(commands, "```shell\n")[1:] {
		command, _, _ := strings.Cut(block, "```")
		e.succeeds("RESULT=failure; LINK='https://ci.example/7?a=b&c'; WEBHOOK_URL=" + server.URL + "\n" + command)
	}
	want := []string{
		`application/json { "text": "The result of the audit: failure. <https://ci.example/7?a=b&c|Open the report>" }`,
		`application/json { "type": "message", "attachments": [ { "contentType": "application/vnd.microsoft.card.adaptive", "content": ` +
			`{ "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": ` +
			`[ { "type": "TextBlock", "text": "The result of the audit: failure. [Open the report](https://ci.example/7?a=b&c)", "wrap": true } ] } } ] }`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		e.t.Errorf("unexpected messages (-want +got):\n%s", diff)
	}
}
