// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pipelines_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// gitLabJob is a job of GitLab.
type gitLabJob struct {
	Script        []string
	ResourceGroup string `json:"resource_group"`
	AllowFailure  bool   `json:"allow_failure"`
	Needs         []struct{ Job string }
	Artifacts     struct{ Paths []string }
	Rules         []struct{ If, When string }
}

// gitLabJobs returns the jobs of the pipeline with these inputs, and the defaults of the
// others. The script is that of this repository.
func gitLabJobs(t *testing.T, inputs map[string]string) map[string]gitLabJob {
	t.Helper()
	header, jobs, found := strings.Cut(read(t, pipeline), "\n---\n")
	if !found {
		t.Fatalf("%s has no header", pipeline)
	}
	var spec struct {
		Spec struct {
			Inputs map[string]struct{ Default any }
		}
	}
	parseYAML(t, header, &spec)
	parseYAML(t, jobs, &map[string]any{}) // GitLab parses it before and after it sets the inputs.
	path, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"script": "file://" + path}
	maps.Copy(values, inputs)
	for name, input := range spec.Spec.Inputs {
		value, ok := values[name]
		if !ok {
			value = fmt.Sprint(input.Default)
		}
		jobs = strings.ReplaceAll(jobs, "$[[ inputs."+name+" ]]", value)
	}
	var parsed map[string]gitLabJob
	parseYAML(t, jobs, &parsed)
	return parsed
}

// gitLab runs a job of a pipeline, with these inputs and variables in addition to those
// of the event. It reports whether the job runs, and whether it succeeds.
func (h *host) gitLab(job, source string, inputs map[string]string, variables ...string) (runs, succeeds bool) {
	h.t.Helper()
	h.log = ""
	variables = append([]string{
		"CI_PIPELINE_SOURCE=" + source, "CI_DEFAULT_BRANCH=main", "CONVO_TOKEN=" + devserver.TokenWrite, "CONVO_BASE_URL=" + h.base,
		"CI_COMMIT_BRANCH=" + map[bool]string{true: "", false: "main"}[source == "merge_request_event"],
	}, variables...)
	values := map[string]any{}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		values["$"+name] = value
	}
	found := gitLabJobs(h.t, inputs)[job]
	for _, rule := range found.Rules {
		runs = runs || truthy(evaluate(h.t, rule.If, values))
	}
	if !runs {
		return false, false
	}
	h.program("apk", "#!/bin/sh\n")
	h.write(".job.sh", strings.Join(found.Script, "\n"))
	command, log := h.command(h.dir, variables, "sh", "-e", ".job.sh")
	err := command.Run()
	h.log = log.String()
	return true, err == nil
}

func (h *host) gitLabAudit(source string, inputs map[string]string, variables ...string) result {
	h.t.Helper()
	if runs, _ := h.gitLab("audit", source, inputs, append(variables, "GITLAB_TOKEN=glpat-1")...); !runs {
		h.t.Fatalf("no audit runs for %s", source)
	}
	outcome := strings.TrimSpace(readIfExists(h.t, filepath.Join(h.dir, "convo-audit", "outcome")))
	return result{h, outcome, readIfExists(h.t, filepath.Join(h.dir, "convo-audit", "report.md")), outcome == "green"}
}

func TestGitLab(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	first := h.gitLabAudit("schedule", nil).is("red", "not recorded", auditHeading)
	h.attach()
	h.gitLabAudit("web", nil, "ACCEPTED="+first.accepted("The numbers are right.")).is("green", "recorded", auditHeading)
	h.serve(movedDomain[0], movedDomain[1])
	accepted := "ACCEPTED=" + h.gitLabAudit("schedule", nil).is("red", "not recorded", auditHeading).accepted("Moved")
	h.gitLabAudit("merge_request_event", nil, accepted).is("green", "not recorded", auditHeading)
	// Variables of the pipeline do not make a branch record.
	h.gitLabAudit("web", nil, accepted, "CI_COMMIT_BRANCH=feature", "CONVO_AUDIT_APPLY=true", "AUDIT_RECORD=true").is("green", "not recorded", auditHeading)
	h.gitLabAudit("web", map[string]string{"apply": "false"}, accepted).is("green", "not recorded", auditHeading)
	h.gitLabAudit("web", map[string]string{"accepted-variable": "OTHER"}, "OTHER"+strings.TrimPrefix(accepted, "ACCEPTED")).is("green", "recorded", auditHeading)

	for _, source := range []string{"push", "merge_request_event"} {
		if runs, _ := h.gitLab("audit", source, nil, "CONVO_TOKEN="); runs {
			t.Errorf("without a token, an audit runs for %s", source)
		}
	}
	other := filepath.Join(h.bin, "terraform")
	h.gitLabAudit("schedule", map[string]string{"script": "file://" + other}).is("not started", "not recorded",
		"The audit did not start, because the script could not be downloaded from file://"+other+", or is from another version.\n")

	jobs := gitLabJobs(t, map[string]string{"name": "audit-shop"})
	names := []string{jobs["audit-shop"].ResourceGroup, jobs["audit-shop"].Artifacts.Paths[0], jobs["audit-shop-publish"].Needs[0].Job}
	if diff := cmp.Diff([]string{"convo-audit-shop", "convo-audit-shop/", "audit-shop"}, names); diff != "" {
		t.Errorf("unexpected names (-want +got):\n%s", diff)
	}
	if !jobs["audit-shop-publish"].AllowFailure {
		t.Error("publishing that fails changes the result of the pipeline")
	}
}

// Each outcome has its text, and only failed and red audits open or change the issue.
func TestGitLabOutcomes(t *testing.T) {
	t.Parallel()
	const (
		begin = "%3C%21--+convo-audit+--%3E%0A%23+"
		end   = "%0A%0A%0A%5BOpen+the+pipeline%5D%28https%3A%2F%2Fgitlab.example%2F8%29%0A"
		hint  = "%0ATo+accept+findings%2C+select+%2A%2ANew+pipeline%2A%2A%2C+and+set+ACCEPTED+to+%60%7B%22KEY%22%3A+%22REASON%22%7D%60.%0A%0A%0A"
		ended = "The+audit+failed%0A%0AThe+job+ended+without+a+result%3A+job_execution_timeout.+If+it+exceeded+its+maximum+duration%2C+that+was+60+minutes."
		note  = "/projects/7/merge_requests/5/notes"
		title = "&labels=convo-audit&title=The+audit+failed+%28audit%29"
	)
	red := begin + "A+%26+b%0A" + strings.Replace(end, "%0A%0A%0A", hint, 1)
	for name, test := range map[string]struct {
		source, status, outcome, listed, want string
	}{
		"green":               {"schedule", "success", "green", "[]", ""},
		"green, open issue":   {"web", "success", "green", `[{"iid": 3}, {"iid": 2}]`, "PUT /projects/7/issues/3 state_event=close"},
		"red":                 {"schedule", "failed", "red", "[]", "POST /projects/7/issues description=" + red + title},
		"red, open issue":     {"web", "failed", "red", `[{"iid": 3}]`, "PUT /projects/7/issues/3 description=" + red},
		"failed":              {"web", "failed", "failed", `[{"iid": 3}]`, "PUT /projects/7/issues/3 description=" + begin + "A+%26+b" + end},
		"deferred":            {"schedule", "failed", "deferred", "[]", ""},
		"not started":         {"schedule", "failed", "not started", `[{"iid": 3}]`, ""},
		"skipped":             {"schedule", "skipped", "", `[{"iid": 3}]`, ""},
		"canceled":            {"schedule", "canceled", "", `[{"iid": 3}]`, ""},
		"timed out":           {"schedule", "failed", "", `[{"iid": 3}]`, "PUT /projects/7/issues/3 description=" + begin + ended + end},
		"timed out, stopped":  {"schedule", "failed", "canceled", "[]", "POST /projects/7/issues description=" + begin + ended + end + title},
		"unauthorized":        {"schedule", "", "red", "[]", ""},
		"merge request":       {"merge_request_event", "success", "green", "[]", "POST " + note + " body=" + begin + "A+%26+b" + end},
		"merge request, none": {"merge_request_event", "skipped", "", "[]", ""},
		"note of two audits": {
			"merge_request_event", "failed", "failed",
			`[{"id": 40, "author": {"id": 2}, "body": "<!-- convo-audit -->"}, {"id": 41, "author": {"id": 1}, "body": "<!-- convo-audit-shop -->"},
				{"id": 42, "author": {"id": 1}, "body": "<!-- convo-audit -->\n# A"}]`,
			"PUT " + note + "/42 body=" + begin + "A+%26+b" + end,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_ = r.ParseForm()
				switch request := r.Method + " " + r.URL.RequestURI(); {
				case r.Header.Get("Private-Token") != "glpat-1" || test.status == "":
					w.WriteHeader(http.StatusUnauthorized)
				case request == "GET /user":
					_, _ = io.WriteString(w, `{"id": 1}`)
				case request == "GET /projects/7/pipelines/8/jobs?per_page=100":
					_, _ = fmt.Fprintf(w, `[{"name": "audit-publish", "status": "running"}, {"name": "audit", "status": %q, "failure_reason": "job_execution_timeout"}]`, test.status)
				case request == "GET /projects/7/issues?state=opened&labels=convo-audit", request == "GET "+note+"?sort=asc&per_page=100":
					_, _ = io.WriteString(w, test.listed)
				default:
					sent = append(sent, request+" "+r.PostForm.Encode())
				}
			}))
			defer server.Close()
			h := &host{t: t, dir: t.TempDir(), bin: t.TempDir()}
			if test.outcome != "" {
				h.write("convo-audit/outcome", test.outcome+"\n")
				h.write("convo-audit/report.md", "# A & b\n")
			}
			variables := []string{"GITLAB_TOKEN=glpat-1", "CI_PROJECT_ID=7", "CI_PIPELINE_ID=8", "CI_PIPELINE_URL=https://gitlab.example/8", "CI_API_V4_URL=" + server.URL}
			if test.source == "merge_request_event" {
				variables = append(variables, "CI_MERGE_REQUEST_IID=5")
			}
			if runs, succeeds := h.gitLab("audit-publish", test.source, nil, variables...); !runs || succeeds != (test.status != "") {
				t.Errorf("runs %t, succeeds %t:\n%s", runs, succeeds, h.log)
			}
			server.Close()
			if got := strings.Join(sent, "\n"); got != test.want {
				t.Errorf("sent %q, want %q\n%s", got, test.want, h.log)
			}
		})
	}
}

func TestGitLabPublishes(t *testing.T) {
	t.Parallel()
	h := &host{t: t, dir: t.TempDir(), bin: t.TempDir()}
	for _, variables := range [][]string{{"GITLAB_TOKEN="}, {"GITLAB_TOKEN=glpat-1", "CI_COMMIT_BRANCH=feature"}} {
		if runs, _ := h.gitLab("audit-publish", "schedule", nil, variables...); runs {
			t.Errorf("the report is published with %q", variables)
		}
	}
}
