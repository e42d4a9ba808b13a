// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// providerFile completes the examples of an object.
const providerFile = "provider.tf"

// Every example runs as it is printed, with the real CLI and a service of its
// own, and its outputs are those in the documentation.
func TestExamples(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*example){
		"actions/convo_update_session_agent": runActionExamples,
		"audit-in-ci":                        runAuditExample,
		"audit-in-ci/guide":                  runAuditGuide,
		"audit-without-storing-data":         runAuditWithoutStoringExample,
		"complete":                           runCompleteExample,
		"data-sources/convo_agent": snippets(map[string]snippet{
			"data-source.tf": {outputs: `{"title": "Returns & refunds", "node_titles": ["Welcome", "Exchange", "Refund"]}`},
		}),
		"data-sources/convo_agents": snippets(map[string]snippet{
			"data-source.tf": {outputs: `{"ids_by_name": {
					"": ["agt_scratch"], "After-sale survey": ["agt_survey"], "Careers": ["agt_jobs"], "Frame size finder": ["agt_bikefit"],
					"Lost & found": ["agt_lost_found"], "Order status": ["agt_orders"], "Returns & refunds": ["agt_returns"],
					"Shop kiosk – Größenberatung": ["agt_kiosk"], "Trade desk": ["agt_trade"], "Warranty claims (draft)": ["agt_warranty"],
					"Winter sale 2025": ["agt_winter_sale"], "Workshop booking": ["agt_workshop"]
				}, "published": {
					"agt_jobs":     "https://jobs.larkspur-bicycles.example/chat",
					"agt_kiosk":    "https://kiosk.larkspur-bicycles.example/",
					"agt_orders":   "https://chat.larkspur-bicycles.example/orders",
					"agt_returns":  "https://chat.larkspur-bicycles.example/returns",
					"agt_trade":    "https://trade.larkspur-bicycles.example/",
					"agt_workshop": "https://chat.larkspur-bicycles.example/workshop"
				}}`},
		}),
		"data-sources/convo_members": snippets(map[string]snippet{
			"data-source.tf": {
				outputs: `{
					"admins": ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"],
					"members": [
						{"role": "ADMIN", "name": "Adaeze Nwosu", "email": "adaeze@larkspur-bicycles.example"},
						{"role": "MEMBER", "name": "Beatriz Conceição", "email": "beatriz@larkspur-bicycles.example"},
						{"role": "MEMBER", "name": "山田 花子", "email": "hanako@larkspur-bicycles.example"},
						{"role": "BILLING", "name": "Ilija Đorđević", "email": "ilija@larkspur-bicycles.example"},
						{"role": "MEMBER", "name": "Mirela Oancea", "email": "mirela@larkspur-bicycles.example"},
						{"role": "ADMIN", "name": "Søren Ågaard", "email": "soren@larkspur-bicycles.example"},
						{"role": "GUEST", "name": "Workshop tablet", "email": "workshop@larkspur-bicycles.example"},
						{"role": "GUEST", "name": "Zoë O’Dowd", "email": "zoe@oddspoke-agency.example"}
					]
				}`,
				// Members without a name, an email address, or a user.
				tidepool: &snippet{outputs: `{
					"admins": ["adaeze@larkspur-bicycles.example"],
					"members": [
						{"role": "GUEST", "name": null, "email": null},
						{"role": "MEMBER", "name": null, "email": null},
						{"role": null, "name": "Front desk", "email": null},
						{"role": "ADMIN", "name": "Adaeze Nwosu", "email": "adaeze@larkspur-bicycles.example"},
						{"role": "MEMBER", "name": null, "email": "kai@tidepool-studio.example"},
						{"role": null, "name": "Noa Lind", "email": "noa@tidepool-studio.example"}
					]
				}`},
			},
		}),
		"data-sources/convo_workspace": snippets(map[string]snippet{
			"data-source.tf": {outputs: `{"status": {"plan": "PRO", "is_past_due": true}}`},
		}),
		"data-sources/convo_workspace_audit": snippets(map[string]snippet{
			"data-source.tf": {outputs: `{
				"admins":           ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"],
				"rarely_completed": ["agt_jobs", "agt_returns"]
			}`},
		}),
		"ephemeral-resources/convo_members":         ephemeralSnippet("A member's email address is missing, or has another domain."),
		"ephemeral-resources/convo_agent":           ephemeralSnippet("The agent is unlocked, or its state is missing."),
		"ephemeral-resources/convo_workspace":       ephemeralSnippet("A payment is past due, or the value is missing."),
		"ephemeral-resources/convo_workspace_audit": ephemeralSnippet("An agent has a share link, or its definition was not read."),
		"functions/audit_report":                    runAuditReportExample,
		"functions/definition_diff":                 runDefinitionDiffExample,
		"functions/flow_diagram":                    runFlowDiagramExample,
		"functions/graph_findings":                  runGraphFindingsExample,
		"get-started":                               runGetStartedExample,
		"get-started/unreleased-build":              runUnreleasedBuild,
		"update-sessions":                           runUpdateSessionsExample,
		"recipes":                                   runRecipes,
		"provider":                                  runProviderExamples,
		"resources/convo_audit_record":              runAuditRecordExamples,
		"resources/convo_session_agent":             runSessionAgentExamples,
		"test-a-configuration":                      runTestExample,
	}
	// An example of one file needs a row only for its outputs.
	plain := map[string]func(*example){
		"data-sources":        snippets(map[string]snippet{"data-source.tf": {outputs: `{}`}}),
		"ephemeral-resources": ephemeralSnippet("No changes."),
	}
	for _, file := range exampleFiles(t, examplesRoot) {
		if file == providerFile {
			continue // It runs with the examples that it completes.
		}
		dir := path.Dir(filepath.ToSlash(file))
		if test := plain[path.Dir(dir)]; test != nil && tests[dir] == nil {
			tests[dir] = test
		}
		for tests[dir] == nil && dir != "." {
			dir = path.Dir(dir) // A module or tests of an example.
		}
		if tests[dir] == nil {
			t.Errorf("no test runs %s", file)
		}
	}

	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	bin := terraformScript(t, built.CLI)
	for dir, test := range tests {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			e := &example{source: filepath.Join(examplesRoot, dir), scratch: *built}
			// The shell replaces the CLI, so that commands run as printed.
			e.scratch.CLI = shell
			e.environment = []string{
				"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
				"TF_INPUT=0", "TF_CLI_ARGS=-no-color", "TF_CLI_ARGS_apply=-auto-approve", "TF_CLI_ARGS_destroy=-auto-approve",
			}
			test(e.in(t))
		})
	}
}

// exampleFiles are the paths of all files below a directory that make an
// example, but for what runs in the directory itself have left there.
func exampleFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".terraform":
			return filepath.SkipDir
		case !slices.Contains([]string{".tf", ".hcl", ".yml"}, filepath.Ext(path)) || entry.Name() == ".terraform.lock.hcl":
			return nil
		}
		file, err := filepath.Rel(root, path)
		files = append(files, file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

type (
	object = map[string]any
	list   = []any
)

// example is an example in a directory of its own.
type example struct {
	t           *testing.T
	source, dir string
	service     *service
	scratch     cli.Scratch
	environment []string
	output      bytes.Buffer
	// seedDir is the directory that edit changes files in.
	seedDir string
}

// in returns the example in another directory, with a service of its own.
func (e *example) in(t *testing.T) *example {
	t.Helper()
	other := &example{t: t, source: e.source, dir: t.TempDir(), service: startService(t), scratch: e.scratch, environment: e.environment}
	other.scratch.Stdout, other.scratch.Stderr = &other.output, &other.output
	return other
}

// terraformScript returns a directory with a terraform for the PATH.
func terraformScript(t *testing.T, cli string) string {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\nexec '" + strings.ReplaceAll(cli, "'", `'\''`) + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "terraform"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sh runs a command line.
func (e *example) sh(command string) error {
	e.t.Helper()
	environment := slices.Concat(e.environment, variables(e.service.BaseURL))
	return e.scratch.Run(e.t.Context(), e.dir, environment, "-e", "-c", command)
}

// run runs a command line and returns what it printed, without the line breaks
// and frames of long messages.
func (e *example) run(command string) (string, error) {
	e.t.Helper()
	e.output.Reset()
	err := e.sh(command)
	return strings.Join(strings.FieldsFunc(e.output.String(), func(r rune) bool { return strings.ContainsRune(" \n│╷╵", r) }), " "), err
}

// succeeds runs a command line that prints all of the wanted.
func (e *example) succeeds(command string, want ...string) string {
	e.t.Helper()
	output, err := e.run(command)
	if err != nil {
		e.t.Fatalf("%s: %v\n%s", command, err, output)
	}
	e.contains(command, output, want)
	return output
}

// fails runs a command line that fails and prints all of the wanted.
func (e *example) fails(command string, want ...string) {
	e.t.Helper()
	output, err := e.run(command)
	if err == nil {
		e.t.Errorf("%s: succeeded\n%s", command, output)
	}
	e.contains(command, output, want)
}

func (e *example) contains(command, output string, want []string) {
	e.t.Helper()
	for _, text := range want {
		if !strings.Contains(output, text) {
			e.t.Errorf("%s: did not print %q:\n%s", command, text, output)
		}
	}
}

// outputs are exactly the outputs of the last apply, as one JSON object.
func (e *example) outputs(want string) {
	e.t.Helper()
	var wanted map[string]any
	e.decode(want, &wanted)
	if diff := cmp.Diff(wanted, e.stored()); diff != "" {
		e.t.Errorf("unexpected outputs (-want +got):\n%s", diff)
	}
}

// outputOf is one output of the last apply.
func (e *example) outputOf(name string, want any) {
	e.t.Helper()
	encoded, err := json.Marshal(want)
	if err != nil {
		e.t.Fatal(err)
	}
	var wanted any
	e.decode(string(encoded), &wanted)
	if diff := cmp.Diff(wanted, e.stored()[name]); diff != "" {
		e.t.Errorf("unexpected output %s (-want +got):\n%s", name, diff)
	}
}

// stored returns the outputs in the state. Reading the file spares the CLI's
// "output", which prints the same.
func (e *example) stored() map[string]any {
	e.t.Helper()
	var state struct {
		Outputs map[string]struct{ Value any }
	}
	e.decode(e.read(filepath.Join(e.dir, "terraform.tfstate")), &state)
	values := map[string]any{}
	for name, output := range state.Outputs {
		values[name] = output.Value
	}
	return values
}

func (e *example) decode(text string, into any) {
	e.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		e.t.Fatalf("%v in %s", err, text)
	}
}

// sent are exactly the bodies of the updates that arrived, in any order.
func (e *example) sent(want ...string) {
	e.t.Helper()
	var got []string
	for _, body := range e.service.requests() {
		if strings.HasPrefix(body, "POST ") {
			got = append(got, body)
		}
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))); diff != "" {
		e.t.Errorf("unexpected updates (-want +got):\n%s", diff)
	}
}

// copy takes all files of the example.
func (e *example) copy() {
	e.t.Helper()
	for _, file := range exampleFiles(e.t, e.source) {
		e.take(file, file)
	}
}

// take takes one file of the example under another name.
func (e *example) take(file, as string) {
	e.t.Helper()
	e.write(as, e.read(filepath.Join(e.source, file)))
}

func (e *example) read(path string) string {
	e.t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatal(err)
	}
	return string(content)
}

func (e *example) write(file, content string) {
	e.t.Helper()
	path := filepath.Join(e.dir, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// only fails the test if the example has other files.
func (e *example) only(files ...string) {
	e.t.Helper()
	slices.Sort(files)
	if diff := cmp.Diff(files, exampleFiles(e.t, e.source)); diff != "" {
		e.t.Errorf("the files of the example are not those that run (-want +got):\n%s", diff)
	}
}

// parts requires that the example has only these files, and completes them.
func (e *example) parts(files ...string) {
	e.t.Helper()
	e.only(files...)
	e.write(providerFile, e.read(filepath.Join(examplesRoot, providerFile)))
}

// guideBlock returns the first block of configuration in a guide.
func (e *example) guideBlock(guide string) string {
	e.t.Helper()
	return e.between(filepath.Join("templates", "guides", guide+".md.tmpl"), "```terraform\n", "```")
}

// requiredProvider is the block of a configuration that is no example.
const requiredProvider = `terraform {
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}
`

// revise restarts the service with other texts in the definition of an agent: pairs of the
// old and the new one.
func (e *example) revise(agentID string, texts ...string) {
	e.service = startService(e.t, withSeed(revised(devserver.DefaultSeed(), agentID, texts...)))
}

// between returns what a file of the repository has between two texts.
func (e *example) between(file, before, after string) string {
	e.t.Helper()
	_, text, found := strings.Cut(e.read(filepath.Join(root, file)), before)
	text, _, ended := strings.Cut(text, after)
	if !found || !ended {
		e.t.Fatalf("%s has nothing between %q and %q", file, before, after)
	}
	return text
}

// snippet is a file of an example with its outputs, or a part of what it prints if
// they are large.
type snippet struct {
	outputs, prints string
	// tidepool is what the file results in for a workspace with other members.
	tidepool *snippet
}

// snippets runs every file of an example as a configuration of its own, together
// with provider.tf.
func snippets(files map[string]snippet) func(*example) {
	return func(e *example) {
		e.parts(slices.Collect(maps.Keys(files))...)
		e.succeeds("terraform init")
		for file, snippet := range files {
			e.succeeds("rm -f terraform.tfstate")
			e.take(file, "main.tf")
			e.check(snippet)
			if snippet.tidepool != nil {
				e.write("main.tf", strings.ReplaceAll(e.read(filepath.Join(e.source, file)), `"ws_larkspur01"`, `"ws_tidepool02"`))
				e.check(*snippet.tidepool)
			}
		}
	}
}

// check runs a snippet and requires what it results in.
func (e *example) check(want snippet) {
	e.t.Helper()
	e.succeeds("terraform apply", want.prints)
	if want.prints == "" {
		e.outputs(want.outputs)
	}
}
