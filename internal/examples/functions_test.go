// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// The definition of the guide, and what is found in the one that is broken on purpose.
const (
	bookingsFile    = "definitions/agt_bookings.yaml"
	bookingsWarning = `The link from the node "Welcome" leads to "grp_hours", which is not in the graph. A session may end there.`
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
classDef unreachable stroke-dasharray:5 5
classDef missing stroke:#e5534b,stroke-width:2px
classDef orphaned stroke:#8c959f,stroke-width:2px,stroke-dasharray:3 3
`
)

// needs skips the rest of an example that an older CLI refuses. The last arguments
// are a command line that fails there, and parts of what it prints.
func (e *example) needs(feature, terraform, openTofu, command string, want ...string) {
	e.t.Helper()
	if !cliHas(terraform, openTofu) {
		e.fails(command, want...)
	}
	needsCLI(e.t, feature, terraform, openTofu)
}

// definitions takes the definitions of the guide from a directory of it.
func (e *example) definitions(from string) {
	e.t.Helper()
	e.write(bookingsFile, e.read(filepath.Join(examplesRoot, "review-a-conversation", from, bookingsFile)))
}

func runGraphFindingsExample(e *example) {
	e.parts("function.tf")
	e.copy()
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	// The page shows the first finding.
	e.succeeds("terraform init; terraform apply")
	e.outputOf("findings", list{
		object{
			"kind": "empty_node", "id": "grp_exchange", "ids": list{"grp_exchange"}, "title": "Exchange",
			"message": "The node \"Exchange\" is empty. A session that reaches it ends there.",
		},
		object{
			"kind": "unused_variable", "id": "var_courier", "ids": list{"var_courier"}, "title": "courierAccount",
			"message": "The variable \"courierAccount\" is not used. Sessions do not need it.",
		},
	})
}

func runFlowDiagramExample(e *example) {
	e.parts("function.tf", "function_files.tf")
	e.take("function.tf", "main.tf")
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	e.succeeds("terraform init; terraform apply; terraform output -raw diagram", "flowchart TD", `n_grp_welcome["Welcome"]`)
	e.take("function_files.tf", "main.tf")
	e.definitions("tests/broken")
	e.succeeds("terraform apply")
	e.outputOf("diagrams", "## definitions/agt_bookings.yaml\n\n```mermaid\n"+bookingsDiagram+"```\n")
	e.picture("diagram", "```mermaid\n"+bookingsDiagram+"```\n")
}

// picture requires that a picture's source is the Markdown that the provider writes.
func (e *example) picture(name, markdown string) {
	e.t.Helper()
	source := filepath.Join(root, "internal/tools/pictures", name+".md")
	if *update {
		if err := os.WriteFile(source, []byte(markdown), 0o600); err != nil {
			e.t.Fatal(err)
		}
	}
	if diff := cmp.Diff(e.read(source), markdown); diff != "" {
		e.t.Errorf("%s is outdated; run make pictures (-source +provider):\n%s", source, diff)
	}
}

// The agent is new at first, and then has another title than the file.
func runDefinitionDiffExample(e *example) {
	e.parts("function.tf")
	e.copy()
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	e.succeeds("terraform init; terraform apply; terraform output -json changes", "added node grp_welcome Welcome")
	agents := devserver.DefaultSeed().Agents
	returns := slices.IndexFunc(agents, func(agent devserver.Agent) bool { return agent.ID == "agt_returns" })
	saved := string(agents[returns].Definition)
	e.write("definitions/agt_returns.yaml", saved)
	e.succeeds("terraform apply")
	e.outputOf("changes", list{})
	e.write("definitions/agt_returns.yaml", strings.Replace(saved, `"Welcome"`, `"Hello"`, 1))
	e.succeeds("terraform apply")
	e.outputOf("changes", list{"changed node grp_welcome Welcome title"})
}

// The agent is new at first, and then has another title than the file, which has the
// same finding.
func runReviewReportExample(e *example) {
	e.parts("function.tf")
	e.copy()
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	const (
		empty   = `empty_node: The node "Exchange" is empty. A session that reaches it ends there.`
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
	const mistakes = "tests/broken/" + bookingsFile
	e.write(mistakes, e.read(filepath.Join(e.source, mistakes)))
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	var steps []string
	for _, match := range regexp.MustCompile(`(?m)run: (.+)$`).FindAllStringSubmatch(e.read(filepath.Join(e.source, "review.yml")), -1) {
		steps = append(steps, match[1])
	}
	steps = slices.DeleteFunc(steps, func(step string) bool { return step == "|" })
	if len(steps) != 7 {
		e.t.Fatalf("the workflow has the commands %q", steps)
	}
	apply, withoutReport, summary, test := steps[2], steps[4], steps[5], steps[6]
	e.environment = append(e.environment, "GITHUB_STEP_SUMMARY=summary.md")
	review := func() string {
		e.succeeds("rm -f summary.md; git worktree remove earlier || true; " + commitAll)
		for _, step := range []string{steps[0], apply, steps[3], summary} {
			e.succeeds(step)
		}
		return e.read(filepath.Join(e.dir, "summary.md"))
	}

	// The agent is new, and the base branch has no definitions.
	e.succeeds("git init; " + commitAll)
	e.succeeds(steps[1])
	const none = "# Conversation Review\n\nAgents: 1. New findings: 0. Earlier findings: 0.\n\n## `agt_bookings.yaml`\n\n"
	e.definitions(".")
	got := review()
	if !strings.HasPrefix(got, none+"```mermaid\n") || !strings.HasSuffix(got, "\n\nThe agent is new.\n\nFindings:\n\n```text\nNo findings.\n```\n") {
		e.t.Errorf("got the summary of a new agent:\n%s", got)
	}
	e.succeeds(test, "2 passed, 0 failed.")

	// The same with mistakes: the report shows them, and only then the run fails.
	e.definitions("tests/broken")
	got = review()
	e.picture("review", got)
	diagram, rest, _ := strings.Cut(got, "Changes other ")
	e.contains("the diagram", diagram, []string{
		"# Conversation Review\n\nAgents: 1. New findings: 3. Earlier findings: 0.\n\n```text\ndangling_link in agt_bookings.yaml: " + bookingsWarning + "\n",
		"class n_grp_confirm changed\n", "class n_grp_hours removed\n", "class n_grp_menu added\n", "| n_grp_hours\n",
	})
	// The guide shows the lists of this report.
	_, lists, _ := strings.Cut(e.read(filepath.Join(guidesRoot, "review-a-conversation.md.tmpl")), "````markdown\nChanges other ")
	lists, _, _ = strings.Cut(lists, "````")
	lists = strings.ReplaceAll(lists, `{{"{{"}}`, "{{")
	if diff := cmp.Diff(strings.Fields(lists), strings.Fields(rest)); diff != "" {
		e.t.Errorf("the lists are not those in the guide (-guide +report):\n%s", diff)
	}
	e.fails(test, "Check block assertion failed", "agt_bookings.yaml: dangling_link: "+bookingsWarning, "0 passed, 1 failed, 1 skipped.")

	// Without an edit, the earlier findings do not fail, nor do those of an agent with
	// another edit.
	if got := review(); got != "# Conversation Review\n\nThere is nothing to review.\n" {
		e.t.Errorf("got the summary of no change:\n%s", got)
	}
	e.editBookings("Table bookings", "Bookings")
	e.contains("the summary", review(), []string{"New findings: 0. Earlier findings: 3.\n\n## ", "! field profile.title\n", "```text\ndangling_link: "})
	e.succeeds(test, "2 passed, 0 failed.")

	// All files for which the workflow starts are reviewed, whatever is in the others: one
	// in a directory, one in JSON, and a new mistake behind an earlier one.
	e.write("definitions/broken.yml", "graph:\n  nodes: [\n")
	e.write("definitions/latin1.yaml", "graph: {a: \xfc}")
	e.write("definitions/keys.json", `{"private_key": "secret"}`)
	e.write("definitions/shop/agt_orders.YAML", e.read(filepath.Join(e.source, bookingsFile)))
	e.write("definitions/agt_links.JSON", `{"graph": {"links": [{"id": "l"}, {"id": "l"}]}}`)
	e.write("definitions/README.md", "Definitions\n")
	e.editBookings(`"nodes":`, `"nodes":`+"\n  - {id: grp_winter, title: Winter}")
	e.editBookings(`"groupId": "grp_welcome"`+"\n      \"type\"", `"groupId": "grp_winter"`+"\n      \"type\"")
	const behind = `No links or jumps lead from an entry point to the node "Winter menu", so no session reaches it or the node behind it.`
	e.contains("the summary", review(), []string{
		"# Conversation Review\n\nErrors: 3.\n\n```text\n" +
			"error: broken.yml: the definition is not valid YAML: line 2: did not find expected node content\n" +
			"error: keys.json: the definition has no graph object\n" +
			"error: latin1.yaml: the definition is empty, or its file is not UTF-8\n```\n\nAgents: 3. New findings: 3. Earlier findings: 2.\n\n```text\n" +
			"unreachable_node in agt_bookings.yaml: " + behind + "\n" + "graph_not_understood in agt_links.JSON: ",
		"\n## `agt_bookings.yaml`\n", "\n## `agt_links.JSON`\n", "\n## `shop/agt_orders.YAML`\n",
	})
	e.fails(test, "broken.yml: the definition is not valid YAML: line 2", "keys.json: the definition has no graph object", "agt_bookings.yaml: unreachable_node: "+behind)

	e.succeeds("rm -r definitions/*.json definitions/*.yml definitions/*.JSON definitions/latin1.yaml definitions/shop; " + commitAll + "; rm definitions/*.yaml")
	if got, want := review(), none[:strings.Index(none, "## ")]+"## `agt_bookings.yaml`\n\nThe agent was deleted.\n"; got != want {
		e.t.Errorf("got the summary of a deleted agent:\n%s", got)
	}
	e.contains("the summary", review(), []string{"Errors: 1.\n\n```text\nerror: There are no definitions.\n```\n"})
	e.fails(test, "There are no definitions.")

	// A wrong directory is an error, not a review in which everything is new.
	e.fails(strings.Replace(apply, "before=earlier", "before=earlie", 1), "The directory in the variable \"before\" is not an earlier checkout of the repository.")
	e.succeeds(withoutReport+"; cat report.md", "# Conversation Review The review failed. See the log of the workflow run.")
	e.succeeds("git worktree remove earlier")
	if got := e.service.requests(); len(got) > 0 {
		e.t.Errorf("sent %v", got)
	}
}

// editBookings replaces a text in the definition of the guide.
func (e *example) editBookings(old, replacement string) {
	e.t.Helper()
	text := e.read(filepath.Join(e.dir, bookingsFile))
	if !strings.Contains(text, old) {
		e.t.Fatalf("%s does not contain %s", bookingsFile, old)
	}
	e.write(bookingsFile, strings.Replace(text, old, replacement, 1))
}

// The guide's commands show an edit before it is committed and, with HEAD^,
// afterward.
func runReviewGuide(e *example) {
	e.source = filepath.Join(examplesRoot, "review-a-conversation")
	e.copy()
	e.take(".gitignore", ".gitignore")
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	_, commands, _ := strings.Cut(e.read(filepath.Join(guidesRoot, "review-a-conversation.md.tmpl")), "```shell\ngit worktree add")
	commands, _, _ = strings.Cut("git worktree add"+commands, "```")
	e.write(bookingsFile, e.read(filepath.Join(e.source, bookingsFile))+"\"ref\":\n  \"revision\": \"1\"\n")
	e.succeeds("git init; " + commitAll + "; terraform init")
	e.succeeds(commands, "There is nothing to review.")

	// All that the service changes when a box is dragged.
	e.editBookings(`"title": "Welcome"`, `"title": "Welcome"`+"\n    \"graphCoordinates\": {\"x\": 1, \"y\": 2}")
	e.editBookings(`"revision": "1"`, `"revision": "2"`+"\n\"timestamps\":\n  \"updated\": \"2026-01-02T00:00:00.000Z\"")
	const moved = "There are no changes other than to the layout. Findings:"
	e.succeeds(commands, moved)
	e.succeeds(commitAll)
	e.succeeds(strings.Replace(commands, "HEAD", "HEAD^", 1), moved)
}

func runReviewAgentExample(e *example) {
	e.copy()
	e.shows("main.tf", e.guideBlock("review-a-conversation", 0))
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	e.succeeds("terraform init; terraform plan -var agent_id=agt_workshop", "+ findings = []")
	const message = `jumps lead from an entry point to the node "Holiday notice", so no session reaches it.`
	e.fails("terraform plan", "Module output value precondition failed", message)
	if strings.Contains(e.output.String(), "definition_json is") {
		e.t.Errorf("the error contains the whole definition:\n%s", &e.output)
	}
}
