// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// auditElsewhere runs the pipeline of GitLab, and the comment of a pull request.
func auditElsewhere(e *example) {
	jobs := e.gitLabJobs()
	script := strings.Join(jobs["audit"], "\n")
	e.service = startService(e.t)
	e.succeeds("rm terraform.tfstate report.md\n" + script + "\ntest ! -e terraform.tfstate")
	e.succeeds("export RECORD=true GITLAB_TOKEN=secret\n"+script, "Apply complete!")
	report := e.read(filepath.Join(e.dir, "report.md"))
	e.prefix("report", report, auditTitle+"**0 errors, 7 warnings**\n\n"+auditFindings+auditWarnings+auditFirst)
	e.fails(`export TF_VAR_allowed_admins='["adaeze@larkspur-bicycles.example"]' RECORD=true`+"\n"+script, auditAdmin)

	// Only the files that the reader creates can be committed.
	e.take(".gitignore", ".gitignore")
	committed := append(exampleFiles(e.t, e.source), ".gitignore", ".terraform.lock.hcl")
	slices.Sort(committed)
	e.succeeds("rm -r bin summary.md; ls audit.tfplan errors.txt previous.json report.md; git init; git add .; git ls-files > files.txt")
	if diff := cmp.Diff(committed, strings.Fields(e.read(filepath.Join(e.dir, "files.txt")))); diff != "" {
		e.t.Errorf("unexpected files in the repository (-want +got):\n%s", diff)
	}

	auditPublished(e, report)
	auditGitLabIssue(e, strings.Join(jobs["issue"], "\n"))
	auditWebhooks(e)
}

// auditWebhooks sends the messages in the guide.
func auditWebhooks(e *example) {
	_, commands, _ := strings.Cut(e.read(filepath.Join(guidesRoot, "audit-in-ci.md.tmpl")), "## Slack and Microsoft Teams")
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

// gitLabJobs returns the commands of each job but the installation of packages.
func (e *example) gitLabJobs() map[string][]string {
	e.t.Helper()
	var pipeline map[string]struct{ Script []string }
	e.yaml(".gitlab-ci.yml", &pipeline)
	jobs := map[string][]string{}
	for name, job := range pipeline {
		for i, command := range job.Script {
			if i > 0 {
				jobs[name] = append(jobs[name], command)
			} else if !strings.HasPrefix(command, "apk add --no-cache ") {
				e.t.Errorf("%s begins with %q, which is not run here", name, command)
			}
		}
	}
	return jobs
}

// auditGitLabIssue runs the job that keeps an issue, with a server that knows the
// result of the audit and the open issues.
func auditGitLabIssue(e *example, script string) {
	for name, test := range map[string]struct {
		result, issues, report string
		want                   string
	}{
		"well":       {result: "success", issues: "[]"},
		"well again": {result: "success", issues: `[{"iid": 3}, {"iid": 2}]`, want: "PUT /projects/7/issues/3 state_event=close"},
		"failed": {result: "failed", issues: "[]", report: "# A & b\n",
			want: "POST /projects/7/issues description=%23+A+%26+b%0A&labels=workspace-audit&title=The+audit+failed"},
		"still failed":    {result: "failed", issues: `[{"iid": 3}]`, report: "# A & b\n", want: "PUT /projects/7/issues/3 description=%23+A+%26+b%0A"},
		"did not start":   {result: "failed", issues: `[{"iid": 3}]`, want: "PUT /projects/7/issues/3 description=%23+The+audit+did+not+start%0A"},
		"without a token": {result: "", want: ""},
	} {
		var sent []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			switch request := r.Method + " " + r.URL.RequestURI(); {
			case r.Header.Get("Private-Token") != "glpat-1" || test.result == "":
				w.WriteHeader(http.StatusUnauthorized)
			case request == "GET /projects/7/pipelines/8/jobs":
				_, _ = fmt.Fprintf(w, `[{"name": "issue", "status": "running"}, {"name": "audit", "status": %q}]`, test.result)
			case request == "GET /projects/7/issues?state=opened&labels=workspace-audit":
				_, _ = io.WriteString(w, test.issues)
			default:
				sent = append(sent, request+" "+r.PostForm.Encode())
			}
		}))
		e.succeeds("rm -f report.md")
		if test.report != "" {
			e.write("report.md", test.report)
		}
		_, err := e.run("set -e; export GITLAB_TOKEN=glpat-1 CI_PROJECT_ID=7 CI_PIPELINE_ID=8 CI_API_V4_URL=" + server.URL + "\n" + script)
		server.Close()
		if (err != nil) != (test.result == "") {
			e.t.Errorf("%s: the job ends with the error %v:\n%s", name, err, &e.output)
		}
		if got := strings.Join(sent, "\n"); got != test.want {
			e.t.Errorf("%s: sent %q, want %q", name, got, test.want)
		}
	}
}

// auditPublished runs the job that updates the comment of a pull request, and the
// issue of scheduled runs. The existing comment or issue is what gh lists.
func auditPublished(e *example, report string) {
	e.write("report.md", report)
	steps := map[string]string{}
	for _, step := range e.workflow("publish") {
		steps[step.Name] = step.Run
	}
	const listComments, listIssues = "gh api --paginate repos/o/r/issues/7/comments", "gh issue list --app github-actions --label workspace-audit"
	const create = "gh label create workspace-audit --force gh issue create --title The audit failed --label workspace-audit --body-file body.md"
	for _, test := range []struct {
		step, result, list, existing string
		want                         string
	}{
		{"Comment", "success", listComments, "", "gh pr comment 7 --body-file body.md"},
		{"Comment", "failure", listComments, "41", "gh api --silent --method PATCH repos/o/r/issues/comments/41 -F body=@body.md"},
		{"Issue", "success", listIssues, "", ""},
		{"Issue", "success", listIssues, "3", "gh issue close 3 --comment The audit succeeded."},
		{"Issue", "failure", listIssues, "", create},
		{"Issue", "cancelled", listIssues, "3", "gh issue edit 3 --body-file body.md"},
	} {
		// The shell of GitHub ends at the first command that fails.
		got := e.succeeds("set -e; GH_REPO=o/r; NUMBER=7; RESULT=" + test.result + `; gh() { case "gh $*" in "` + test.list + `"*) echo ` + test.existing +
			" ;; *) echo \"gh $*\"; esac; }\n" + steps[test.step])
		if got != test.want {
			e.t.Errorf("%s after %s: got %q, want %q", test.step, test.result, got, test.want)
		}
		e.contains("the body", e.read(filepath.Join(e.dir, "body.md")), []string{auditTitle + "**0 errors, 7 warnings**"})
	}
}

// workflowStep is a step of a job of GitHub Actions.
type workflowStep struct {
	Name, If, Run string
	Env           map[string]string
}

func (e *example) workflow(job string) []workflowStep {
	e.t.Helper()
	var workflow struct {
		Jobs map[string]struct{ Steps []workflowStep }
	}
	e.yaml("audit.yml", &workflow)
	return workflow.Jobs[job].Steps
}
