// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// runRecipes runs each recipe, and what its text says about other days.
func runRecipes(e *example) {
	e.only("agent_by_name.tf", "conversation_changes.tf", "csv.tf", "export_definitions.tf", "external_members.tf", "find_a_host.tf",
		"unexpected_admins.tf", "unexpected_hosts.tf")
	e.take("agent_by_name.tf", "main.tf")
	e.succeeds("terraform init; terraform apply")
	e.outputs(`{"agent_id": "agt_orders"}`)
	e.edit(larkspurFile, `"name": "Trade desk"`, `"name": "Order status"`)
	e.fails("terraform plan", `The name "Order status" is not unique.`)
	e.edit(larkspurFile, `"name": "Order status"`, `"name": "Orders"`)
	e.fails("terraform plan", `has the name "Order status". Names must match exactly, also in letter case.`)

	e.recipe("unexpected_admins.tf")
	e.fails("terraform plan", "Unexpected administrators: soren@larkspur-bicycles.example")
	e.edit(larkspurFile, `"role": "ADMIN"`, `"role": "MEMBER"`)
	e.fails("terraform plan", "No administrator is visible.")
	e.externalMembers()
	e.unexpectedHosts()
	e.recipe("find_a_host.tf")
	e.succeeds("terraform apply")
	e.outputs(`{"nodes": ["Look up"]}`)
	e.recipe("csv.tf")
	e.succeeds(e.command(0)+"; cat agents.csv", `"agt_bikefit","Frame size finder",false,0 "agt_jobs","Careers",true,4`)
	e.succeeds("cat members.csv", `"role","name","email" "ADMIN","Adaeze Nwosu","adaeze@larkspur-bicycles.example"`)
	e.service = startService(e.t, withError("GET /v1/agents/agt_orders/analytics/stats", http.StatusForbidden))
	e.succeeds(e.command(0)+"; cat agents.csv", `"agt_orders","Order status",true, "agt_returns"`)
	e.definitionsInGit()
}

// recipe replaces the recipe in the directory, its state, and the service.
func (e *example) recipe(file string) {
	e.t.Helper()
	e.service, e.seedDir = startService(e.t), ""
	e.succeeds("rm -f terraform.tfstate")
	e.take(file, "main.tf")
}

// command returns the shell commands of the guide with an index.
func (e *example) command(index int) string {
	e.t.Helper()
	blocks := strings.Split(e.read(filepath.Join(guidesRoot, "recipes.md.tmpl")), "```shell\n")
	command, _, _ := strings.Cut(blocks[index+1], "\n```")
	return command
}

// externalMembers names the members, of whom some lack an email address, a name, or a user.
func (e *example) externalMembers() {
	e.t.Helper()
	e.recipe("external_members.tf")
	e.fails("terraform plan", "Members from other domains: zoe@oddspoke-agency.example")
	e.write("main.tf", strings.Replace(e.read(filepath.Join(e.dir, "main.tf")), "ws_larkspur01", "ws_tidepool02", 1))
	e.fails("terraform plan", "Members from other domains: no email address, no email address, Front desk, kai@tidepool-studio.example, noa@tidepool-studio.example")
}

// unexpectedHosts replaces the host that is not allowed, changes a domain, and withholds a definition.
func (e *example) unexpectedHosts() {
	e.t.Helper()
	e.recipe("unexpected_hosts.tf")
	const host = "https://calendar.larkspur-bicycles.example"
	const allowed = "https://orders.larkspur-bicycles.example"
	e.fails("terraform plan", "Unexpected domains or hosts: agt_workshop: calendar.larkspur-bicycles.example")
	e.revise("agt_workshop", host, allowed)
	e.succeeds("terraform plan", "+ unexpected_hosts = []")
	e.service = startService(e.t, withSeed(revised(revised(devserver.DefaultSeed(), "agt_workshop", host, allowed),
		"agt_trade", "trade.larkspur-bicycles.example", "trade.example")))
	e.fails("terraform plan", "Unexpected domains or hosts: agt_trade: trade.example")
	e.service = startService(e.t, withError("GET /v1/agents/agt_trade", http.StatusForbidden))
	e.fails("terraform plan", "The audit is incomplete, so a domain or a host may be missing.")
}

// definitionsInGit exports definitions, and shows what changed since then.
func (e *example) definitionsInGit() {
	e.t.Helper()
	documented := e.service
	defer func() { e.service = documented }()
	e.recipe("export_definitions.tf")
	e.environment = append(e.environment, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a.example", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@a.example")
	export := e.command(1)
	e.succeeds("git init; "+export+"; git ls-files | wc -l", "12")
	e.succeeds(export+"; git log --oneline | wc -l", "1") // Nothing has changed.
	searchFiles(e.t, filepath.Join(e.dir, "definitions"), "shr_5Tz0nQ", "shr_Or77")

	seed := devserver.DefaultSeed()
	seed.Agents = slices.DeleteFunc(seed.Agents, func(agent devserver.Agent) bool { return agent.ID == "agt_jobs" })
	e.service = startService(e.t, withSeed(seed))
	e.succeeds(export+"; git show --format= --name-status", "D\tdefinitions/agt_jobs.yaml")
	e.service = documented
	e.succeeds(export)
	e.service = startService(e.t, withError("GET /v1/agents/agt_jobs", http.StatusForbidden))
	e.fails(export, "403 Forbidden")
	e.succeeds("git status --porcelain definitions | wc -l", "0")

	needsCLI(e.t, "functions", "1.8", "1.7")
	e.service = documented
	e.take("conversation_changes.tf", "review/main.tf")
	e.succeeds("cd review; terraform init; terraform apply")
	comment := func(changes, diagram string) {
		e.t.Helper()
		got, err := e.run("cd review; terraform output -json | jq -j .comment.value > comment.md")
		if err != nil {
			e.t.Fatal(got)
		}
		got = e.read(filepath.Join(e.dir, "review", "comment.md"))
		want := "Changes in `agt_orders`:\n\n    " + changes + "\n\n```mermaid\nflowchart TD\n"
		if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\n```") || !strings.Contains(got, diagram) {
			e.t.Errorf("got the comment\n%s\nwant\n%s", got, want)
		}
	}
	comment("none", `n_grp_packing["Being packed"]`)

	// No text becomes a mention, a link, HTML, or a cell.
	e.service = startService(e.t, withSeed(revised(devserver.DefaultSeed(), "agt_orders",
		`"Being packed"`, `"@team [x](https://evil.example)"`, `"memory": [`, `"memory": [{"id": "v\r\n\r\n@team", "name": "<b> | a"},`)))
	e.succeeds("cd review; terraform apply")
	comment("changed node grp_packing @team [x](https://evil.example) title: \"Being packed\" → \"@team [x](https://evil.example)\"\n    added variable v    @team <b> | a", "class n_grp_packing changed\n")
	e.succeeds(export+"; git show --format= definitions/agt_orders.yaml", `- "title": "Being packed" + "title": "@team [x](https://evil.example)"`)
}
