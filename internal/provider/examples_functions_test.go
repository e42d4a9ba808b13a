// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// What is found in the definition that is broken on purpose.
const (
	bookingsWarning = `The link from the node "Welcome" leads to "grp_hours", which is not in the graph. A session ends there.`
	bookingsDiagram = `flowchart TD
e_ent_start(["start"])
e_ent_start --> n_grp_welcome
n_grp_welcome["Welcome"]
n_grp_welcome -->|"Book a table"| n_grp_table
m_grp_hours{{"Missing#58; grp#95;hours"}}:::missing
n_grp_welcome -->|"Opening hours"| m_grp_hours
n_grp_table["How many guests?"]
n_grp_table --> n_grp_confirm
n_grp_confirm["Confirmation"]
n_grp_menu["Winter menu"]:::unreachable
n_grp_menu -.-> n_grp_welcome
` + diagramClasses
)

func bookingsFindings() list {
	return list{
		object{"kind": "dangling_link", "id": "lnk_hours", "ids": list{"lnk_hours"}, "title": "Welcome", "message": bookingsWarning},
		object{"kind": "unreachable_node", "id": "grp_menu", "ids": list{"grp_menu"}, "title": "Winter menu", "message": `No links or jumps lead from an entry point to the node "Winter menu", so no session reaches it.`},
		object{"kind": "unused_variable", "id": "var_phone", "ids": list{"var_phone"}, "title": "phone", "message": `The variable "phone" is not used. Sessions do not need it.`},
	}
}

// withFunctions reports whether the CLI calls functions. One that is too old
// refuses the example's configuration.
func (e *example) withFunctions() bool {
	e.t.Helper()
	if cliHas("1.8", "1.7") {
		return true
	}
	e.fails("terraform init && terraform validate")
	return false
}

// definitions takes the definitions of the guide from a directory of it.
func (e *example) definitions(from string) {
	e.t.Helper()
	e.write("definitions/agt_bookings.yaml", e.read(filepath.Join(examplesRoot, "review-a-conversation", from, "agt_bookings.yaml")))
}

// equals compares one output of the last apply.
func (e *example) equals(name string, want any) {
	e.t.Helper()
	encoded, err := json.Marshal(want)
	if err != nil {
		e.t.Fatal(err)
	}
	e.outputOf(name, string(encoded))
}

func runGraphFindingsExample(e *example) {
	e.only("function.tf", providerFile)
	e.copy()
	e.definitions("tests/broken")
	if !e.withFunctions() {
		return
	}
	e.succeeds("terraform init; terraform apply", "Warning: Check block assertion failed", bookingsWarning)
	e.equals("findings", object{"definitions/agt_bookings.yaml": bookingsFindings()})
	e.definitions("definitions")
	if output := e.succeeds("terraform apply"); strings.Contains(output, "Warning") {
		e.t.Errorf("warned of a sound conversation:\n%s", output)
	}
	e.equals("findings", object{"definitions/agt_bookings.yaml": list{}})
	e.sent()
}

func runFlowDiagramExample(e *example) {
	e.only("function.tf", "function_files.tf", providerFile)
	e.take(providerFile, providerFile)
	e.take("function.tf", "main.tf")
	if !e.withFunctions() {
		return
	}
	e.succeeds("terraform init; terraform apply; terraform output -raw diagram", "flowchart TD", `n_grp_welcome["Welcome"]`)
	e.take("function_files.tf", "main.tf")
	e.definitions("tests/broken")
	e.succeeds("terraform apply")
	e.equals("diagrams", "## definitions/agt_bookings.yaml\n\n```mermaid\n"+bookingsDiagram+"```\n")
}

// The agent is new at first, and then has another title than the file.
func runDefinitionDiffExample(e *example) {
	e.only("function.tf", providerFile)
	e.copy()
	if !e.withFunctions() {
		return
	}
	e.succeeds("terraform init; terraform apply; terraform output -json changes", "added node grp_welcome Welcome")
	agents := devserver.DefaultSeed().Agents
	returns := slices.IndexFunc(agents, func(agent devserver.Agent) bool { return agent.ID == "agt_returns" })
	saved := string(agents[returns].Definition)
	e.write("definitions/agt_returns.yaml", saved)
	e.succeeds("terraform apply")
	e.equals("changes", list{})
	e.write("definitions/agt_returns.yaml", strings.Replace(saved, `"Welcome"`, `"Hello"`, 1))
	e.succeeds("terraform apply")
	e.equals("changes", list{"changed node grp_welcome Welcome title"})
}

// The agent is new at first, and then has another title than the file, which has the
// same finding.
func runReviewReportExample(e *example) {
	e.only("function.tf", providerFile)
	e.copy()
	if !e.withFunctions() {
		return
	}
	const (
		empty   = `empty_node: The node "Exchange" has no items. A session that reaches it ends there.`
		finding = `The variable "courierAccount" is not used. Sessions do not need it.`
	)
	e.succeeds("terraform init; terraform apply", "Warning: Check block assertion failed", finding)
	e.succeeds("terraform output -raw report", "The agent is new. Findings: ```text new: "+empty+" new: unused_variable: "+finding)
	agents := devserver.DefaultSeed().Agents
	returns := slices.IndexFunc(agents, func(agent devserver.Agent) bool { return agent.ID == "agt_returns" })
	e.write("definitions/agt_returns.yaml", strings.Replace(string(agents[returns].Definition), `"Welcome"`, `"Hello"`, 1))
	if output := e.succeeds("terraform apply"); strings.Contains(output, "Warning") {
		e.t.Errorf("warned of an earlier finding:\n%s", output)
	}
	e.succeeds("terraform output -raw report", `- "Hello" + "Welcome"`, "Findings: ```text "+empty+" unused_variable: "+finding)
}

const commitAll = "git add -A .; git -c user.name=test -c user.email=test@example.com commit --allow-empty -m Edit"

// The workflow's own commands run, one after the other, but for the comment in
// a pull request. Nothing is sent.
func runReviewExample(e *example) {
	e.copy()
	e.take(".gitignore", ".gitignore")
	e.write("tests/broken/agt_bookings.yaml", e.read(filepath.Join(e.source, "tests", "broken", "agt_bookings.yaml")))
	if !e.withFunctions() {
		return
	}
	var steps []string
	for _, match := range regexp.MustCompile(`(?m)run: (.+)$`).FindAllStringSubmatch(e.read(filepath.Join(e.source, "review.yml")), -1) {
		steps = append(steps, match[1])
	}
	steps = slices.DeleteFunc(steps, func(step string) bool { return step == "|" })
	if len(steps) != 6 {
		e.t.Fatalf("the workflow has the commands %q", steps)
	}
	e.environment = append(e.environment, "GITHUB_STEP_SUMMARY=summary.md")
	review := func() string {
		e.succeeds("rm -f summary.md; git worktree remove before || true; " + commitAll)
		for _, step := range steps[:5] {
			e.succeeds(step)
		}
		return e.read(filepath.Join(e.dir, "summary.md"))
	}

	// The agent is new.
	e.succeeds("git init; " + commitAll)
	const none = "# Conversation Review\n\nAgents: 1. New findings: 0. Earlier findings: 0.\n\n## `agt_bookings`\n\n"
	e.definitions("definitions")
	got := review()
	if !strings.HasPrefix(got, none+"```mermaid\n") || !strings.HasSuffix(got, "\n\nThe agent is new.\n\nFindings:\n\n```text\nNo findings.\n```\n") {
		e.t.Errorf("got the summary of a new agent:\n%s", got)
	}
	e.succeeds(steps[5], "2 passed, 0 failed.")

	// The same with mistakes: the report shows them, and only then the run fails.
	e.definitions("tests/broken")
	got = review()
	diagram, rest, _ := strings.Cut(got, "Changes, ")
	e.contains("the diagram", diagram, []string{
		"# Conversation Review\n\nAgents: 1. New findings: 3. Earlier findings: 0.\n\n```text\ndangling_link in agt_bookings: " + bookingsWarning + "\n",
		"class n_grp_confirm changed\n", "class n_grp_hours removed\n", "class n_grp_menu added\n", "| n_grp_hours\n",
	})
	// The guide shows the lists of this report.
	_, lists, _ := strings.Cut(e.read(filepath.Join(guidesRoot, "review-a-conversation.md.tmpl")), "````markdown\nChanges, ")
	lists, _, _ = strings.Cut(lists, "````")
	lists = strings.ReplaceAll(lists, `{{"{{"}}`, "{{")
	if diff := cmp.Diff(strings.Fields(lists), strings.Fields(rest)); diff != "" {
		e.t.Errorf("the lists are not those in the guide (-guide +report):\n%s", diff)
	}
	e.fails(steps[5], "Check block assertion failed", "agt_bookings: dangling_link: "+bookingsWarning, "0 passed, 1 failed, 1 skipped.")

	// Without an edit, the earlier findings do not fail, nor do those of an agent with
	// another edit.
	if got := review(); got != "# Conversation Review\n\nThere is nothing to review.\n" {
		e.t.Errorf("got the summary of no change:\n%s", got)
	}
	e.succeeds(steps[5], "2 passed, 0 failed.")
	e.write("definitions/agt_bookings.yaml", strings.Replace(e.read(filepath.Join(e.dir, "definitions/agt_bookings.yaml")), "Table bookings", "Bookings", 1))
	e.contains("the summary", review(), []string{"New findings: 0. Earlier findings: 3.\n\n## ", "! field profile.title\n", "```text\ndangling_link: "})
	e.succeeds(steps[5], "2 passed, 0 failed.")
	e.succeeds("rm definitions/*")
	if got, want := review(), none[:strings.Index(none, "## ")]+"## `agt_bookings`\n\nThe agent was deleted.\n"; got != want {
		e.t.Errorf("got the summary of a deleted agent:\n%s", got)
	}
	e.succeeds("git worktree remove before")
	if got := e.service.paths(); len(got) > 0 {
		e.t.Errorf("sent %v", got)
	}
}

// The guide's commands show an edit before it is committed and, with HEAD^,
// afterward.
func runReviewGuide(e *example) {
	e.source = filepath.Join(examplesRoot, "review-a-conversation")
	e.copy()
	e.take(".gitignore", ".gitignore")
	if !e.withFunctions() {
		return
	}
	_, commands, _ := strings.Cut(e.read(filepath.Join(guidesRoot, "review-a-conversation.md.tmpl")), "```shell\ngit worktree add")
	commands, _, _ = strings.Cut("git worktree add"+commands, "```")
	e.definitions("definitions")
	e.succeeds("git init; " + commitAll + "; terraform init")
	e.succeeds(commands, "There is nothing to review.")

	// All that the service changes when a box is dragged.
	saved := e.read(filepath.Join(e.dir, "definitions/agt_bookings.yaml"))
	e.write("definitions/agt_bookings.yaml", strings.Replace(saved, `"title": "Welcome"`, `"title": "Welcome"`+"\n    \"graphCoordinates\": {\"x\": 1, \"y\": 2}", 1)+
		"\"ref\":\n  \"revision\": \"2\"\n\"timestamps\":\n  \"updated\": \"2026-01-02T00:00:00.000Z\"\n")
	const moved = "There are no changes other than to the layout. Findings:"
	e.succeeds(commands, moved)
	e.succeeds(commitAll)
	e.succeeds(commands, "There is nothing to review.")
	e.succeeds(strings.Replace(commands, "HEAD", "HEAD^", 1), moved)

	// Of files that are not valid, the error names all.
	e.write("definitions/agt_broken.yaml", "graph: [")
	e.write("definitions/agt_part.yml", "nodes: []")
	const invalid = "some definitions are invalid: - agt_broken: the definition is not valid JSON - agt_part: the definition has no graph object"
	e.fails("terraform apply", invalid)
	e.fails(`echo 'yamldecode(file("definitions/agt_broken.yaml"))' | terraform console`, "on line 1")
	// Their repair can be reviewed.
	e.succeeds(commitAll + "; mv definitions/agt_broken.yaml .; cp definitions/agt_bookings.yaml definitions/agt_broken.yaml; rm definitions/agt_part.yml")
	e.succeeds(commands, "## `agt_broken`", "The earlier definition is invalid, so changes are unknown.", "## `agt_part` The agent was deleted.")
}

func runReviewAgentExample(e *example) {
	e.copy()
	e.shows("main.tf", e.guideBlock("review-a-conversation", 0))
	e.checkAllAgents()
	if !e.withFunctions() {
		return
	}
	e.succeeds("terraform init; terraform plan -var agent_id=agt_workshop", "+ findings = []")
	const message = `jumps lead from an entry point to the node "Holiday notice", so no session reaches it.`
	e.fails("terraform plan", "Module output value precondition failed", message)
	if strings.Contains(e.output.String(), "definition_json is") {
		e.t.Errorf("the error contains the whole definition:\n%s", &e.output)
	}
}
