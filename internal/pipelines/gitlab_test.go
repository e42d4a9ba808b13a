// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build engines

package pipelines_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// newGitLab returns an engine that runs the file that users copy.
func newGitLab(t *testing.T) *engine {
	t.Helper()
	e := &engine{host: newHost(t), all: true}
	e.report = filepath.Join(e.dir, "report.md")
	e.program("apk", "exit 99\n") // All tools are there.
	e.write(".gitlab/audit.yml", read(t, root+"/.gitlab/audit.yml"))
	e.pipeline(read(t, example+".gitlab-ci.yml"))
	e.command = func(r run) (*exec.Cmd, *bytes.Buffer) {
		arguments := []string{
			"gitlab-ci-local", "--force-shell-executor", "--shell-isolation",
			"--ignore-predefined-vars", "CI_PIPELINE_SOURCE,CI_COMMIT_BRANCH,CI_DEFAULT_BRANCH",
		}
		for _, variable := range append(gitLabVariables(r), "CONVO_BASE_URL="+e.base) {
			arguments = append(arguments, "--variable", variable)
		}
		return e.host.command(arguments...)
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
	for name, value := range map[string]string{"ACCEPTED": r.accepted, "AUDIT_CLI": r.cli, "TF_CLI_ARGS": r.flags} {
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

// The job takes only tags from a project's defaults, and has a stage of the project.
func TestGitLabDefaults(t *testing.T) {
	t.Parallel()
	e := newGitLab(t)
	e.attach()
	e.record()
	e.serve(newRevision...)
	e.pipeline("stages: [lint, review]\ndefault:\n  before_script: [no-such-program]\n  cache: { paths: [node_modules] }\n" +
		strings.Replace(read(t, example+".gitlab-ci.yml"), "stage: test", "stage: review", 1))
	e.run("defaults", run{}, green, "Apply complete!")
}
