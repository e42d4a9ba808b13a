// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

const (
	gitHubWorkflow = "../../.github/workflows/audit.yml"
	gitLabPipeline = "../../.gitlab/audit.yml"
)

// hosted runs the steps of a hosted pipeline as printed, in a directory with a
// configuration. Programs in bin replace those of the host.
type hosted struct {
	*example
	// temporary is the directory that the host provides for one run.
	temporary, bin string
	// values are what the expressions of the pipeline evaluate to, by name.
	values map[string]any
	// log is what the steps of the last run printed.
	log string
}

// fakeCLI lists the commands that receive the token in the file tokens, and fails
// as the file named after a command says.
const fakeCLI = `#!/bin/sh
case "$*" in *" -lock=false"*) lock=" without a lock" ;; esac
test -z "${CONVO_TOKEN:-}" || echo "$1${lock:-}" >> %[1]s/tokens
test ! -f "%[1]s/fake-$1" || exec sh "%[1]s/fake-$1"
PATH=${PATH#*:} exec terraform "$@"
`

// fakeGH lists the requests that change something in the file sent, and filters
// what GitHub would return in the way that gh does.
const fakeGH = `#!/bin/sh
case "$*" in *--jq*) ;; *) echo "gh $*" >> %[1]s/sent ;; esac
while test $# -gt 0; do
  case $1 in --jq) jq -r "$2" %[1]s/listed.json ;; esac
  shift
done
`

func newHosted(e *example) *hosted {
	e.t.Helper()
	h := &hosted{example: e, bin: e.t.TempDir()}
	for name, script := range map[string]string{"terraform": fakeCLI, "gh": fakeGH} {
		h.program(name, fmt.Sprintf(script, h.bin))
	}
	return h
}

func (h *hosted) program(name, script string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.bin, name), []byte(script), 0o700); err != nil { //nolint:gosec // It runs.
		h.t.Fatal(err)
	}
}

// taken returns the lines of a file that a program in bin wrote, and removes it.
func (h *hosted) taken(file string) []string {
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

// in runs a script in a directory with exactly these variables of the pipeline.
func (h *hosted) in(dir string, variables []string, shell, script string) error {
	h.t.Helper()
	environment := slices.Clone(h.environment)
	environment[0] = strings.Replace(environment[0], "PATH=", "PATH="+h.bin+string(os.PathListSeparator), 1)
	before := h.dir
	h.dir = dir
	defer func() { h.dir = before }()
	file := filepath.Join(h.temporary, "step.sh")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.output.Reset()
	err := h.sh(append(environment, variables...), shell+" "+file)
	h.log += h.output.String()
	return err
}

// workflowJob is a job of GitHub Actions.
type workflowJob struct {
	If, Concurrency, Environment string
	Env                          map[string]string
	Steps                        []workflowStep
}

type workflowStep struct {
	Name, If, Uses, Run string
	Directory           string `json:"working-directory"`
	Env                 map[string]string
	With                map[string]any
}

func (h *hosted) gitHubJobs() map[string]workflowJob {
	h.t.Helper()
	var workflow struct {
		Jobs map[string]workflowJob
	}
	h.parseYAML(h.read(gitHubWorkflow), &workflow)
	return workflow.Jobs
}

// gitHub runs one job as GitHub does: a step that fails ends it but for the steps
// that always run. It returns the result of the job.
func (h *hosted) gitHub(name string) string {
	h.t.Helper()
	h.log = ""
	job := h.gitHubJobs()[name]
	if job.If != "" && !truthy(h.evaluate(job.If)) {
		return "skipped"
	}
	result := "success"
	for _, step := range job.Steps {
		h.values["job.status"] = result
		if h.values["cancelled"] == step.Name && step.Name != "" {
			result = "cancelled" // It ends while this step runs.
			continue
		}
		if step.Run == "" || result != "success" && step.If != "always()" || step.If != "" && !truthy(h.evaluate(step.If)) {
			continue
		}
		variables := []string{"RUNNER_TEMP=" + h.temporary, "GITHUB_STEP_SUMMARY=" + filepath.Join(h.temporary, "summary.md")}
		for _, env := range []map[string]string{job.Env, step.Env} {
			for _, key := range slices.Sorted(maps.Keys(env)) {
				variables = append(variables, key+"="+h.expand(env[key]))
			}
		}
		dir := filepath.Join(h.dir, h.expand(step.Directory))
		if name == "publish" {
			dir = h.temporary
		}
		if err := h.in(dir, variables, "bash --noprofile --norc -eo pipefail", step.Run); err != nil && result == "success" {
			result = "failure"
		}
	}
	return result
}

var gitHubExpression = regexp.MustCompile(`\$\{\{(.*?)\}\}`)

// expand replaces the expressions in a value of GitHub Actions.
func (h *hosted) expand(text string) string {
	h.t.Helper()
	return gitHubExpression.ReplaceAllStringFunc(strings.ReplaceAll(text, "\n", " "), func(expression string) string {
		return fmt.Sprint(h.evaluate(strings.TrimSuffix(strings.TrimPrefix(expression, "${{"), "}}")))
	})
}

var expressionToken = regexp.MustCompile(`'[^']*'|"[^"]*"|\$?[A-Za-z_][A-Za-z0-9_.-]*(\(\))?|\|\||&&|==|!=|[()!]`)

// evaluate evaluates an expression of GitHub Actions or a rule of GitLab. What has
// no value is empty.
func (h *hosted) evaluate(expression string) any {
	h.t.Helper()
	tokens := expressionToken.FindAllString(expression, -1)
	if strings.Join(tokens, "") != strings.Join(strings.Fields(expression), "") && !strings.ContainsAny(expression, `'"`) {
		h.t.Fatalf("unable to parse %q", expression)
	}
	next := func(token string) bool {
		found := len(tokens) > 0 && tokens[0] == token
		if found {
			tokens = tokens[1:]
		}
		return found
	}
	var either func() any
	value := func() any {
		switch {
		case next("("):
			inner := either()
			next(")")
			return inner
		case len(tokens) == 0:
			h.t.Fatalf("%q ends too early", expression)
		}
		token := tokens[0]
		tokens = tokens[1:]
		switch value, ok := h.values[token]; {
		case strings.ContainsAny(token[:1], `'"`):
			return token[1 : len(token)-1]
		case token == "always()":
			return true
		case ok:
			return value
		}
		return ""
	}
	comparison := func() any {
		left := value()
		switch {
		case next("=="):
			return fmt.Sprint(left) == fmt.Sprint(value())
		case next("!="):
			return fmt.Sprint(left) != fmt.Sprint(value())
		}
		return left
	}
	both := func() any {
		left := comparison()
		for next("&&") {
			if right := comparison(); truthy(left) {
				left = right
			}
		}
		return left
	}
	either = func() any {
		left := both()
		for next("||") {
			if right := both(); !truthy(left) {
				left = right
			}
		}
		return left
	}
	result := either()
	if len(tokens) > 0 {
		h.t.Fatalf("unable to evaluate %q from %q", expression, tokens)
	}
	return result
}

func truthy(value any) bool { return value != "" && value != false }

// gitLabJob is a job of GitLab.
type gitLabJob struct {
	Script        []string
	ResourceGroup string `json:"resource_group"`
	Needs         []struct{ Job string }
	Variables     map[string]string
	Artifacts     struct{ Paths []string }
	Rules         []struct {
		If, When  string
		Variables map[string]string
	}
}

// gitLabJobs returns the jobs of the pipeline with these inputs, and the defaults of
// the others.
func (h *hosted) gitLabJobs(inputs map[string]string) map[string]gitLabJob {
	h.t.Helper()
	header, jobs, found := strings.Cut(h.read(gitLabPipeline), "\n---\n")
	if !found {
		h.t.Fatalf("%s has no header", gitLabPipeline)
	}
	var spec struct {
		Spec struct {
			Inputs map[string]struct{ Default any }
		}
	}
	h.parseYAML(header, &spec)
	h.parseYAML(jobs, &map[string]any{}) // GitLab parses it before and after it sets the inputs.
	for name, input := range spec.Spec.Inputs {
		value, ok := inputs[name]
		if !ok {
			value = fmt.Sprint(input.Default)
		}
		jobs = strings.ReplaceAll(jobs, "$[[ inputs."+name+" ]]", value)
	}
	var parsed map[string]gitLabJob
	h.parseYAML(jobs, &parsed)
	return parsed
}

// gitLab runs one job as GitLab does, and returns its result.
func (h *hosted) gitLab(name string, inputs map[string]string, variables ...string) string {
	h.t.Helper()
	h.log = ""
	job := h.gitLabJobs(inputs)[name]
	for _, rule := range job.Rules {
		if !truthy(h.evaluate(rule.If)) {
			continue
		}
		if rule.When == "never" {
			return "skipped"
		}
		maps.Copy(job.Variables, rule.Variables)
		for key, value := range job.Variables {
			variables = append(variables, key+"="+value)
		}
		if len(job.Script) == 0 || !strings.HasPrefix(job.Script[0], "apk add --no-cache ") {
			h.t.Errorf("%s does not begin with the installation of packages, which is not run here", name)
		}
		if h.in(h.dir, variables, "sh -e", strings.Join(job.Script[1:], "\n")) != nil {
			return "failed"
		}
		return "success"
	}
	return "skipped"
}

func (e *example) parseYAML(text string, into any) {
	e.t.Helper()
	var document any
	if err := yaml.Load([]byte(text), &document); err != nil {
		e.t.Fatal(err)
	}
	content, err := json.Marshal(document)
	if err != nil {
		e.t.Fatal(err)
	}
	e.decode(string(content), into)
}
