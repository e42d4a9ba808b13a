// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// edit replaces what a pattern matches in a file of the development server's
// data, as a user does who started it with -seed.
func (e *example) edit(file, pattern, replacement string) {
	e.t.Helper()
	if e.seedDir == "" {
		e.seedDir = e.t.TempDir()
		if err := os.CopyFS(e.seedDir, os.DirFS(root+"/internal/devserver/seed")); err != nil {
			e.t.Fatal(err)
		}
	}
	path := filepath.Join(e.seedDir, filepath.FromSlash(file))
	content := e.read(path)
	changed := regexp.MustCompile("(?s)"+pattern).ReplaceAllString(content, replacement)
	if changed == content {
		e.t.Fatalf("%s has nothing that matches %s", file, pattern)
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		e.t.Fatal(err)
	}
	seed, err := devserver.ReadSeed(os.DirFS(e.seedDir))
	if err != nil {
		e.t.Fatal(err)
	}
	e.service = startService(e.t, withSeed(seed))
}

// larkspurFile is the file with the first workspace and its list of agents.
const larkspurFile = "workspaces/ws_larkspur01.json"

// runGetStartedExample runs the configuration that the guide shows, and its ways to provide
// the token.
func runGetStartedExample(e *example) {
	e.copy()
	configuration := e.read(filepath.Join(e.source, "main.tf"))
	e.succeeds("terraform init; terraform plan",
		`+ admins = [ + "adaeze@larkspur-bicycles.example", + "soren@larkspur-bicycles.example", ]`)

	// The configuration in the README.
	e.write("readme/main.tf", e.between("README.md", "```terraform\n", "```"))
	e.succeeds("cd readme; terraform init; terraform plan", `+ admins = [ + "adaeze@larkspur-bicycles.example", + "soren@larkspur-bicycles.example", ]`)

	// The token's agents are those of another workspace.
	e.write("other/main.tf", strings.Replace(configuration, "ws_larkspur01", "ws_tidepool02", 1))
	e.succeeds("cd other; terraform init; terraform plan", "Warning: Audited agents belong to another workspace")

	// The workspace of an agent, which the guide names.
	e.write("workspace/main.tf", requiredProvider+e.guideBlock("get-started"))
	e.succeeds("cd workspace; terraform init; terraform plan", `+ workspace = "ws_larkspur01"`)

	// The token is in a file.
	token := filepath.ToSlash(filepath.Join(e.t.TempDir(), "convo_token"))
	if err := os.WriteFile(token, []byte("dev-token-read\n"), 0o600); err != nil {
		e.t.Fatal(err)
	}
	block := strings.Replace(e.between("templates/guides/get-started.md.tmpl", "read it from a file:\n\n```terraform\n", "```"), "/run/secrets/convo_token", token, 1)
	e.write("main.tf", strings.Replace(configuration, "provider \"convo\" {}\n", block, 1))
	e.succeeds("unset CONVO_TOKEN; terraform plan -out=main.tfplan; terraform apply main.tfplan; terraform show -json > state.json")
	searchFiles(e.t, e.dir, "dev-token-read")
}

// runUnreleasedBuild commits a build to a repository for its pipelines, as Contributing says, also for
// several workspaces, each of which finds the build through a link.
func runUnreleasedBuild(e *example) {
	e.take("../main.tf", "main.tf")
	e.take("../main.tf", "larkspur/main.tf")
	platform := runtime.GOOS + "_" + runtime.GOARCH
	for _, registry := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		dir := "terraform.d/plugins/" + registry + "/convo/convo/0.1.0/" + platform
		e.succeeds("mkdir -p " + dir + "; cp " + e.scratch.Provider() + " " + dir + "/terraform-provider-convo_v0.1.0")
	}
	lock := e.between(".github/CONTRIBUTING.md", "\nterraform get", "\n```")
	commands := "unset TF_CLI_CONFIG_FILE; terraform get" + strings.ReplaceAll(lock, "linux_amd64", platform) + "; terraform init -lockfile=readonly"
	e.succeeds(commands, "Installing convo/convo v0.1.0")
	e.succeeds("cd larkspur; "+e.between(".github/CONTRIBUTING.md", "directory, run `", "`")+"; "+commands, "Installing convo/convo v0.1.0")
}

func runCompleteExample(e *example) {
	e.copy()
	e.succeeds("terraform init; terraform apply", "A payment of Larkspur Bicycles is past due.")
	e.outputs(`{
		"admins": ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"],
		"locked_agents": ["Lost & found (agt_lost_found)", "Order status (agt_orders)", "Trade desk (agt_trade)"],
		"performance": {
			"allTime":    {"views": 301, "starts": 224, "completed": 201, "completion_percent": 89},
			"last7Days":  {"views": 117, "starts": 93, "completed": 83, "completion_percent": 89},
			"lastMonth":  {"views": 96, "starts": 71, "completed": 66, "completion_percent": 92}
		},
		"published_agents": {
			"agt_jobs":     "https://jobs.larkspur-bicycles.example/chat",
			"agt_kiosk":    "https://kiosk.larkspur-bicycles.example/",
			"agt_orders":   "https://chat.larkspur-bicycles.example/orders",
			"agt_returns":  "https://chat.larkspur-bicycles.example/returns",
			"agt_trade":    "https://trade.larkspur-bicycles.example/",
			"agt_workshop": "https://chat.larkspur-bicycles.example/workshop"
		},
		"session": "success",
		"workspace": {"is_past_due": true, "name": "Larkspur Bicycles", "plan": "PRO"}
	}`)
	e.succeeds("terraform plan -detailed-exitcode", "No changes.")
	e.sent(`POST /v1/sessions/ses_returns_open/updateAgent {"agentId":"agt_workshop"}`)
	e.requiresQuery("terraform plan")
}

// requiresQuery runs a command with a service that lists agents only with a query
// parameter.
func (e *example) requiresQuery(command string) {
	e.t.Helper()
	documented := e.service
	defer func() { e.service = documented }()
	e.service = startService(e.t, workspaceInQuery)
	e.succeeds(`TF_VAR_agent_query='{workspaceId="ws_larkspur01"}'; export TF_VAR_agent_query; ` + command)
}

func runTestExample(e *example) {
	e.copy()
	e.needs("tests", "1.6", "1.8", "terraform init", "Unsupported Terraform Core version")
	e.succeeds("terraform init; terraform plan", `id = "agt_trade"`)
	test := "CONVO_BASE_URL= CONVO_TOKEN= " + e.between("templates/guides/test-a-configuration.md.tmpl", "terraform init\n", "\n")
	e.succeeds(test, "Success! 1 passed, 0 failed.")
	checks := e.read(filepath.Join(e.dir, "checks", "main.tf"))
	e.write("checks/main.tf", strings.Replace(checks, "> 10", "> 11", 1))
	e.fails(test, "Failure! 0 passed, 1 failed.")
}

// runAuditGuide runs what the guide adds to the configuration: accepted findings, and a
// policy.
func runAuditGuide(e *example) {
	main := e.read(filepath.Join(e.source, "..", "main.tf"))
	e.write("main.tf", main)
	e.needs("write-only arguments", "1.11", "1.11", "terraform init", "Core version")
	guides := e.read(filepath.Join(guidesRoot, "audit-a-workspace.md.tmpl")) + e.read(filepath.Join(guidesRoot, "when-an-audit-fails.md.tmpl"))
	page := strings.Join(strings.Fields(guides), " ")
	replaced := func(before, after string) {
		e.t.Helper()
		if !strings.Contains(main, before) {
			e.t.Fatalf("main.tf does not contain %q", before)
		}
		e.write("main.tf", strings.Replace(main, before, after, 1))
	}
	const accepted = "  accepted = var.accepted\n"
	fingerprint := regexp.MustCompile(`/[a-z2-7]{24}`)
	page = fingerprint.ReplaceAllString(page, "/KEY")
	// accept accepts the key of the only error, which one of the guides shows.
	accept := func(message, reason string) string {
		e.t.Helper()
		const failed = "Error: Module output value precondition failed "
		log, err := e.run("terraform plan")
		_, shown, _ := strings.Cut(log, failed)
		key := regexp.MustCompile(`\S+/[a-z2-7]{24}`).FindString(shown)
		if err == nil || key == "" || !strings.Contains(fingerprint.ReplaceAllString(log, "/KEY"), message) {
			e.t.Fatalf("the plan printed\n%s", log)
		}
		if !strings.Contains(page, failed+message) {
			e.t.Errorf("the guides do not show %s%s", failed, message)
		}
		return fmt.Sprintf(`terraform apply -var 'accepted={%q="%s"}'`, key, reason)
	}

	e.succeeds("terraform init")
	command := accept("first_record/ws_larkspur01/KEY The record begins with this audit: workspace ws_larkspur01 with 12 agents and 8 members.", "Compared with the service. Adaeze")
	e.contains("the guide", guides, []string{command})
	e.contains("the README", e.read(filepath.Join(e.source, "..", "README.md")), []string{command})
	e.succeeds(command, "1 added")
	replaced("concat(\n", "concat(\n"+e.guideBlock("audit-a-workspace"))
	e.succeeds("terraform plan", "foreign_agents/agt_scratch", "more findings in the report")
	e.succeeds("terraform apply -auto-approve; terraform output -raw report", "The risk score is 21.25. | `risk/agt_trade`")
	replaced(accepted, e.guideBlock("when-an-audit-fails"))
	if output := e.succeeds("terraform plan"); strings.Contains(output, "The agent's workspace is unknown.") {
		e.t.Errorf("the finding is not accepted:\n%s", output)
	}

	e.write("main.tf", main)
	e.revise("agt_returns", `"domain": "chat.larkspur-bicycles.example"`, `"domain": "returns.example"`)
	command = accept("access_changed/agt_returns/KEY Returns & refunds (agt_returns): agent address: domain chat.larkspur-bicycles.example → domain returns.example", "New domain. Adaeze")
	e.contains("the guide", fingerprint.ReplaceAllString(guides, "/KEY"), []string{fingerprint.ReplaceAllString(command, "/KEY")})
	e.succeeds("terraform plan -refresh-only", "Warning: Module output value precondition failed", "access_changed/agt_returns/")
	replaced(accepted, `  accepted = merge({ "access_changed" = "Changes are reviewed when a run is confirmed." }, var.accepted)`+"\n")
	e.succeeds("terraform plan", `+ after = "domain returns.example"`)
	e.write("main.tf", main)
	e.succeeds(command, "1 changed")
	e.succeeds("terraform plan; terraform output -raw report", "**✅ Passed: 0 errors, ")
}

func runAuditWithoutStoringExample(e *example) {
	e.take("main.tf", "main.tf")
	allowed := e.between("templates/guides/audit-without-storing-data.md.tmpl", "```shell\n", "terraform plan\n")
	e.needsEphemeralValues()
	e.succeeds("terraform init")
	e.succeeds(allowed+"terraform plan -out=main.tfplan; terraform apply main.tfplan", "passed = true")
	searchFiles(e.t, e.dir, "larkspur-bicycles.example", "zoe@oddspoke-agency.example", "shr_5Tz0nQ")

	e.fails(`TF_VAR_allowed_admins='["soren@larkspur-bicycles.example"]' terraform plan`, "A member unexpectedly has the ADMIN role.")

	// A token or a service that sees less.
	e.service = startService(e.t, withError("GET /v1/agents/*", http.StatusNotFound))
	e.fails(allowed+"terraform plan", "The audit has errors.")
	e.service = startService(e.t, withSeed(devserver.Seed{Workspaces: devserver.DefaultSeed().Workspaces, Callers: devserver.DefaultSeed().Callers}))
	e.fails(allowed+"terraform plan", "The audit has errors.")
}
