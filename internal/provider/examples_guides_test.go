// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
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
		if err := os.CopyFS(e.seedDir, os.DirFS("../devserver/seed")); err != nil {
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
	e.service.SetSeed(seed)
}

// larkspurFile is the file with the first workspace and its list of agents.
const larkspurFile = "workspaces/ws_larkspur01.json"

// runGetStartedExample runs the configuration that the guide and the README show,
// and the guide's ways to provide the token.
func runGetStartedExample(e *example) {
	e.copy()
	configuration := e.read(filepath.Join(e.source, "main.tf"))
	if !strings.Contains(e.read("../../README.md"), configuration) {
		e.t.Error("the README shows another configuration than the guide")
	}
	e.succeeds("terraform init; terraform plan",
		`+ admins = [ + "adaeze@larkspur-bicycles.example", + "soren@larkspur-bicycles.example", ] + published_agents = 6`)

	blocks := strings.Split(e.read(filepath.Join(guidesRoot, "get-started.md.tmpl")), "```terraform\n")[1:]
	provided := func(block string) string {
		block, _, _ = strings.Cut(block, "```")
		return strings.Replace(configuration, "provider \"convo\" {}\n", block, 1)
	}
	const apply = "unset CONVO_TOKEN; terraform plan -out=main.tfplan; terraform apply main.tfplan; terraform show -json > state.json"
	e.startsProvider = true

	token := filepath.ToSlash(filepath.Join(e.t.TempDir(), "convo_token"))
	if err := os.WriteFile(token, []byte("dev-token-read\n"), 0o600); err != nil {
		e.t.Fatal(err)
	}
	e.write("main.tf", strings.Replace(provided(blocks[0]), "/run/secrets/convo_token", token, 1))
	e.succeeds(apply)
	searchFiles(e.t, e.dir, "dev-token-read")

	// The share token of an agent stands for a secret in a store.
	if !cliHas("1.10", "1.11") {
		return
	}
	const shared = "shr_5Tz0nQ"
	seed := devserver.DefaultSeed()
	seed.Callers[shared] = seed.Callers["dev-token-read"]
	e.service = startService(e.t, devserver.WithSeed(seed))
	store := "provider \"convo\" {\n  alias = \"store\"\n  token = \"dev-token-write\"\n}\n\n"
	e.write("main.tf", store+strings.NewReplacer(
		"vault_kv_secret_v2", "convo_agent", "  mount = \"secret\"\n  name  = \"convo\"\n", "  provider = convo.store\n  agent_id = \"agt_returns\"\n",
		".data[\"token\"]", ".exposure.access.share.token").Replace(provided(blocks[1])))
	e.succeeds(apply)
	searchFiles(e.t, e.dir, shared)
}

func runCompleteExample(e *example) {
	e.copy()
	e.succeeds("terraform init; terraform apply", "A payment of Larkspur Bicycles is past due.")
	e.outputs(`{
		"admins": ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"],
		"locked_agents": ["Lost & found (agt_lost_found)", "Order status (agt_orders)", "Trade desk (agt_trade)"],
		"performance": {
			"allTime":    {"views": 301, "starts": 224, "completed": 201, "completion_percent": 89},
			"last30Days": {"views": 301, "starts": 224, "completed": 201, "completion_percent": 89},
			"last7Days":  {"views": 117, "starts": 93, "completed": 83, "completion_percent": 89}
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
}

func runReviewExportExample(e *example) {
	e.dir = filepath.Join(e.dir, "export")
	e.copy()
	e.succeeds("terraform init; terraform apply")
	e.succeeds("sh write.sh; ls ../definitions", "agt_orders.yaml agt_returns.yaml")
	searchFiles(e.t, filepath.Join(e.dir, "..", "definitions"), "shr_5Tz0nQ", "shr_Or77")
	e.succeeds("cat ../definitions/agt_returns.yaml", `"revision": "42"`, `"token": null`, `"y": 1000`, `"trailingZero": 2.5`,
		`"huge": 12345678901234567890123`, `"Hello \U0001F44B <b>& welcome</b>, {{customerName}}!"`)
	e.succeeds("terraform plan -detailed-exitcode", "No changes.")
	e.succeeds("cd ..; git init; git add definitions; git -c user.name=test -c user.email=test@example.com commit -m Add")

	// The plan shows what changed, and nothing else of the definitions.
	e.edit("agents/agt_orders.json", `"revision": "8"`, `"revision": "9"`)
	e.edit("agents/agt_orders.json", `("labels": \[[^]]*)"orders"`, `${1}"parcels"`)
	plan := e.succeeds("terraform plan", "~ definitions = { ~ agt_orders = { ~ profile", `~ revision = "8" -> "9"`, "# (10 unchanged attributes hidden) } # (1 unchanged attribute hidden) }",
		"~ documents = (sensitive value)")
	// Terraform 1.5 and OpenTofu show the old and the new element one after the other.
	if !strings.Contains(plan, `~ "orders" -> "parcels"`) {
		e.contains("terraform plan", plan, []string{`- "orders"`, `+ "parcels"`})
	}
	e.succeeds("terraform plan -detailed-exitcode || test $? = 2")
	e.succeeds("terraform apply; sh write.sh; cd ..; git add definitions; git --no-pager diff --staged", `- "revision": "8" + "revision": "9"`,
		`"labels": - "service" - - "orders" + - "parcels" "summary": "Looks up an order by number and postcode."`)

	// Outputs of all attributes, as the guide has them.
	const agent = `data.convo_agent.each["agt_orders"]`
	e.write("whole.tf", "output \"whole\" {\n  value = "+agent+"\n}\n")
	e.fails("terraform plan", "Output refers to sensitive values")
	e.write("whole.tf", "output \"whole\" {\n  value = { for name, value in "+agent+" : name => value if name != \"exposure\" }\n}\n")
	e.succeeds("terraform plan", `+ public_key = "order-status-2hv9"`)

	// The definitions of all agents.
	e.write("whole.tf", "data \"convo_agents\" \"all\" {}\n")
	e.write("main.tf", strings.Replace(e.read(filepath.Join(e.source, "main.tf")), "= var.agent_ids", "= toset(data.convo_agents.all.agents[*].id)", 1))
	e.succeeds("terraform plan", "+ agt_bikefit", "+ agt_workshop")
}

func runTestExample(e *example) {
	e.copy()
	if !cliHas("1.7", "1.8") {
		e.fails("terraform init", "Unsupported Terraform Core version")
		return
	}
	guide := e.read(filepath.Join(guidesRoot, "test-without-an-account.md.tmpl"))
	for file, start := range map[string]string{"main.tf": "```terraform\n", "tests/offline.tftest.hcl": "mock_provider \"convo\" {}\n"} {
		_, block, _ := strings.Cut(guide, start)
		block, _, _ = strings.Cut(block, "```")
		if !strings.Contains(e.read(filepath.Join(e.dir, file)), block) {
			e.t.Errorf("%s is not what the guide shows:\n%s", file, block)
		}
	}
	e.succeeds("terraform init")
	e.succeeds("terraform test", "Success! 9 passed, 0 failed.")
	e.startsProvider = true
	e.succeeds("CONVO_BASE_URL= CONVO_TOKEN= "+
		"terraform test -filter=tests/offline.tftest.hcl -filter=tests/mocked.tftest.hcl", "Success! 7 passed, 0 failed.")
	e.startsProvider = false

	// Terraform 1.13 and later skip a run whose provider failed.
	summary := "Failure! 7 passed, 1 failed, 1 skipped."
	if cliHas("1.13", "") {
		summary = "Failure! 7 passed, 0 failed, 2 skipped."
	}
	e.fails("unset TF_REATTACH_PROVIDERS; CONVO_BASE_URL= CONVO_TOKEN= terraform test", "Missing", summary)

	// The tests notice rules that hold no longer.
	for _, broken := range []struct{ from, to, run string }{
		{"length(local.unexpected_admins) == 0", "length(local.admins) < 9", "unexpected_admin"},
		{"agent.is_published == true\n    && ", "", "past_due_and_seldom_completed"},
		{"local.audit.workspace.is_past_due != true", "local.audit.workspace.name != null", "past_due_and_seldom_completed"},
	} {
		e.write("main.tf", strings.Replace(e.read(filepath.Join(e.source, "main.tf")), broken.from, broken.to, 1))
		e.fails("terraform test", `run "`+broken.run)
	}
	e.mocks()
}

const mockedConfiguration = requiredProvider + `data "convo_workspace_audit" "this" {
  workspace_id = "any"
}
data "convo_agents" "all" {}
data "convo_agent" "this" {
  agent_id = "any"
}
data "convo_agent_stats" "this" {
  agent_id = "any"
}
output "value" {
  value = jsonencode([
    data.convo_workspace_audit.this.emails_by_role, length(data.convo_workspace_audit.this.agents),
    length(data.convo_agents.all.agents), data.convo_agent.this.exposure.state, data.convo_agent.this.profile.labels,
    data.convo_agent_stats.this.completion_percent, length(data.convo_agent.this.definition_json) > 0,
  ])
}
`

// mocks holds each row of the guide's table of what a mock can replace.
func (e *example) mocks() {
	e.t.Helper()
	e.write("mocks/main.tf", mockedConfiguration)
	e.succeeds("cd mocks; terraform init")
	const made = `GOT [{},0,0,{"archived":false,"locked":false,"published":false},[],0,true]`
	for _, test := range []struct{ source, defaults, terraform, openTofu string }{
		{"convo_agent_stats", `{}`, made, made},
		{"convo_agent_stats", `{ completion_percent = null }`,
			strings.Replace(made, ",0,true", ",null,true", 1), strings.Replace(made, ",0,true", ",null,true", 1)},
		{"convo_workspace_audit", `{ emails_by_role = { ADMIN = ["a"] } }`,
			strings.Replace(made, "{}", `{"ADMIN":["a"]}`, 1), strings.Replace(made, "{}", `{"ADMIN":["a"]}`, 1)},
		{"convo_workspace_audit", `{ agents = { a = { name = "a" } } }`, made, "mock/override field `agents`"},
		{"convo_agents", `{ agents = [{ name = "a" }] }`, "Failed to compute attribute", "mock/override field `agents`"},
		{"convo_agent", `{ exposure = { state = { locked = true } } }`,
			strings.Replace(made, `"locked":false`, `"locked":true`, 1), "mock/override field `exposure`"},
	} {
		e.write("mocks/mock.tftest.hcl", "mock_provider \"convo\" {\n  mock_data \""+test.source+"\" {\n    defaults = "+test.defaults+"\n  }\n}\n"+
			"run \"mocked\" {\n  assert {\n    condition     = output.value == \"\"\n    error_message = \"GOT ${output.value}\"\n  }\n}\n")
		want := test.terraform
		if cliIsOpenTofu {
			want = test.openTofu
		}
		e.fails("cd mocks; terraform test", want)
	}

	if !cliHas("1.10", "1.11") {
		return
	}
	e.write("ephemeral/main.tf", requiredProvider+`ephemeral "convo_workspace" "this" {
  workspace_id = "any"
}
`)
	e.write("ephemeral/mock.tftest.hcl", "mock_provider \"convo\" {}\nrun \"mocked\" {\n  command = plan\n}\n")
	const test = "cd ephemeral; terraform init; terraform test"
	if cliIsOpenTofu {
		e.succeeds(test, "Success! 1 passed, 0 failed.")
	} else {
		e.fails(test, "The provider mocking mechanism does not yet support ephemeral resource types.")
	}
}

func runAuditWithoutStoringExample(e *example) {
	e.take("main.tf", "main.tf")
	guide := e.read(filepath.Join(guidesRoot, "audit-without-storing-data.md.tmpl"))
	_, allowed, _ := strings.Cut(guide, "```shell\n")
	allowed, _, _ = strings.Cut(allowed, "terraform plan\n")
	if !cliHas("1.10", "1.11") {
		e.needsEphemeralValues()
		return
	}
	warnings := []string{"A payment is past due.", "A published agent completes fewer than half of its sessions."}
	e.succeeds("terraform init")
	e.succeeds(allowed+"terraform plan -out=main.tfplan; terraform apply main.tfplan", warnings...)
	searchFiles(e.t, e.dir, "larkspur-bicycles.example", "zoe@oddspoke-agency.example", "shr_5Tz0nQ")
	// The state holds the messages of the checks.
	e.succeeds("cat terraform.tfstate", append(warnings, `"check_results"`)...)

	const show = "terraform show -json main.tfplan"
	if cliHas("1.15", "1.11") {
		e.succeeds(show, "A payment is past due.")
	} else {
		e.fails(show, "unsupported resource mode 69")
	}
	e.fails(`TF_VAR_allowed_admins='["soren@larkspur-bicycles.example"]' terraform plan`,
		"A member unexpectedly has the ADMIN role.")

	// Whether a message is printed depends on its references and not on its text.
	constant := `"A member unexpectedly has the ADMIN role."`
	e.write("main.tf", strings.Replace(e.read(filepath.Join(e.source, "main.tf")), constant, `"${length(self.members)} members"`, 1))
	e.succeeds(allowed+"terraform plan", "Warning: Error message refers to ephemeral values")
	e.fails(`TF_VAR_allowed_admins='["soren@larkspur-bicycles.example"]' terraform plan`,
		"This check failed, but has an invalid error message")
}

func runPlanOnlyExample(e *example) {
	e.copy()
	e.succeeds("terraform init; terraform plan",
		"These members unexpectedly have the ADMIN role: soren@larkspur-bicycles.example")
	searchFiles(e.t, e.dir, "soren@larkspur-bicycles.example", "mirela@larkspur-bicycles.example")
	if _, err := os.Stat(filepath.Join(e.dir, "terraform.tfstate")); err == nil {
		e.t.Error("the plan wrote a state")
	}
	output := e.succeeds(
		`terraform plan -var 'allowed_admins=["adaeze@larkspur-bicycles.example","soren@larkspur-bicycles.example"]'`, "No changes.")
	if strings.Contains(output, "Warning") {
		e.t.Errorf("the plan warns of a workspace that complies:\n%s", output)
	}
}

func runSeveralWorkspacesExample(e *example) {
	e.startsProvider = true
	e.copy()
	blocks := strings.Split(e.read(filepath.Join(guidesRoot, "audit-several-workspaces.md.tmpl")), "```terraform\n")[1:]
	for i, file := range []string{"opentofu/main.tf", "query/main.tf"} {
		if block, _, _ := strings.Cut(blocks[i], "```"); !strings.Contains(e.read(filepath.Join(e.dir, file)), block) {
			e.t.Errorf("%s is not what the guide shows:\n%s", file, block)
		}
	}
	if !cliHas("1.10", "1.11") {
		e.needsEphemeralValues()
		return
	}
	const (
		tokens  = `TF_VAR_tokens='{"larkspur":"dev-token-read","tidepool":"dev-token-tidepool"}'; export TF_VAR_tokens; `
		swapped = `TF_VAR_tokens='{"larkspur":"dev-token-tidepool","tidepool":"dev-token-read"}'; export TF_VAR_tokens; `
		agents  = `{"agents": {"larkspur": 12, "tidepool": 4}}`
	)
	e.succeeds(tokens + "terraform init; terraform plan -out=main.tfplan; terraform apply main.tfplan")
	e.outputs(agents)
	searchFiles(e.t, e.dir, "dev-token-read", "dev-token-tidepool")
	e.fails(swapped+"terraform plan", "The service listed no agents of workspace larkspur, or agents of another or an unknown workspace.",
		"The service listed no agents of workspace ws_tidepool02, or agents of another or an unknown workspace.")
	e.query()

	e.dir = filepath.Join(e.dir, "opentofu")
	if !cliIsOpenTofu {
		e.fails("terraform init", `The provider argument name "for_each" is reserved for use by Terraform`)
		return
	}
	output := e.succeeds(tokens + "terraform init; terraform apply")
	if strings.Contains(output, "for_each matches module") {
		e.t.Errorf("OpenTofu warns of the example:\n%s", output)
	}
	e.outputs(agents)
	e.succeeds(`TF_VAR_tokens='{"larkspur":"dev-token-read"}' terraform apply -var 'workspaces={"larkspur":"larkspur"}'`)
	e.outputs(`{"agents": {"larkspur": 12}}`)
	e.succeeds(tokens + "terraform apply")
	e.outputs(agents)
	e.fails(swapped+"terraform plan", "The service listed no agents of workspace ws_tidepool02,")
}

// query runs the example for a service whose agents a query parameter selects,
// and for one that ignores the parameter.
func (e *example) query() {
	e.t.Helper()
	dir, documented := e.dir, e.service
	defer func() { e.dir, e.service = dir, documented }()
	e.dir = filepath.Join(dir, "query")
	e.fails("terraform init; terraform plan", "The service listed no agents of workspace ws_tidepool02,", "check that agent_query selects this workspace")
	e.service = startService(e.t, devserver.WithBehavior(devserver.WorkspaceInQuery))
	e.succeeds("terraform apply")
	e.outputs(`{"agents": {"ws_larkspur01": 12, "ws_tidepool02": 4}}`)
}

func runStaleAgentsExample(e *example) {
	e.copy()
	const plan = "terraform plan -var as_of=2026-03-18T00:00:00Z"
	e.succeeds("terraform init")
	e.succeeds(plan, `+ stale = { + agt_jobs = "2025-06-18T10:44:00.000Z" }`)
	// The service's clock stands still, so that all agents are stale some day.
	e.succeeds("terraform plan -var days=0", "agt_jobs", "agt_workshop")

	// The block in the guide about agents that nobody starts.
	_, block, _ := strings.Cut(e.read(filepath.Join(guidesRoot, "stale-agents.md.tmpl")), "```terraform\n")
	block, _, _ = strings.Cut(block, "```")
	e.write("unused.tf", block)
	e.edit("agents/agt_bikefit.json", `"published": false`, `"published": true`)
	e.edit(larkspurFile, `("id": "agt_bikefit".*?"isPublished": )false`, "${1}true")
	e.succeeds(plan, `+ unused = [ + "agt_bikefit", ]`)
	e.succeeds("rm unused.tf")

	// What the example needs is missing.
	documented := e.service
	e.service = startService(e.t, devserver.WithMissingFields("agents.isPublished"))
	e.fails(plan, "is_published of these agents is missing: agt_bikefit, agt_jobs,")
	e.service = startService(e.t, devserver.WithSeed(devserver.Seed{Callers: devserver.DefaultSeed().Callers}))
	e.fails(plan, "The service listed no agents.")
	e.service = documented
	for _, unreadable := range []string{`"18 March 2026"`, `null`, `"2026-03-18"`, `"1773822539"`} {
		e.edit(larkspurFile, `("id": "agt_kiosk".*?"updatedAt": )[^\n]*`, "${1}"+unreadable)
		e.fails(plan, "updated_at of these agents is missing or not RFC 3339: agt_kiosk.")
	}
}

func runLargeWorkspacesExample(e *example) {
	e.copy()
	e.succeeds("terraform init")
	e.succeeds("terraform apply")
	e.outputOf("seldom_completed", `{"agt_jobs": 25, "agt_returns": 15}`)
	const job = "terraform apply -var jobs=2 -state="
	e.succeeds(job + "job-0.tfstate -var job=0; terraform output -state=job-0.tfstate -json > job-0.json")
	e.succeeds(job + "job-1.tfstate -var job=1; terraform output -state=job-1.tfstate -json > job-1.json")
	type outputs struct {
		AgentIDs struct{ Value []string }           `json:"agent_ids"`
		Seldom   struct{ Value map[string]float64 } `json:"seldom_completed"`
	}
	seen, seldom := map[string]int{}, map[string]float64{}
	for _, file := range []string{"job-0.json", "job-1.json"} {
		var got outputs
		e.decode(e.read(filepath.Join(e.dir, file)), &got)
		if len(got.AgentIDs.Value) < 3 {
			e.t.Errorf("%s has the agents %q", file, got.AgentIDs.Value)
		}
		for _, id := range got.AgentIDs.Value {
			seen[id]++
		}
		for id, percent := range got.Seldom.Value {
			seldom[id] = percent
		}
	}
	for id, jobs := range seen {
		if jobs != 1 {
			e.t.Errorf("%d jobs audit %s", jobs, id)
		}
	}
	if len(seen) != 12 || len(seldom) != 2 || seldom["agt_jobs"] != 25 || seldom["agt_returns"] != 15 {
		e.t.Errorf("the jobs audit %v and find %v", seen, seldom)
	}
	// The block in the guide that audits published agents only.
	_, block, _ := strings.Cut(e.read(filepath.Join(guidesRoot, "large-workspaces.md.tmpl")), "```terraform\n")
	block, _, _ = strings.Cut(block, "```")
	e.write("published/main.tf", requiredProvider+block+"output \"agents\" {\n  value = length(data.convo_workspace_audit.published.agents)\n}\n")
	e.succeeds("cd published; terraform init; terraform plan", "+ agents = 6")

	for _, wrong := range []string{"2", "-1", "0.5"} {
		e.fails("terraform plan -var jobs=2 -var job="+wrong, "The variable job must be a whole number from 0 to jobs - 1.")
	}
}

// runVersionPinningExample installs the provider from a directory, which is what
// a machine without a network does, and locks it.
func runVersionPinningExample(e *example) {
	e.startsProvider = true
	e.only("main.tf", "mirror.tfrc")
	e.take("main.tf", "main.tf")
	mirror := filepath.Join(e.dir, "mirror")
	platform := runtime.GOOS + "_" + runtime.GOARCH
	install := func(version, content string) {
		for _, registry := range []string{"registry.terraform.io", "registry.opentofu.org"} {
			dir := filepath.Join(mirror, registry, "convo/convo", version, platform)
			e.succeeds("mkdir -p " + dir + "; cp " + e.scratch.Provider() + " " + dir + "/terraform-provider-convo_v" + version)
			if content != "" {
				e.succeeds("printf '" + content + "' >> " + dir + "/terraform-provider-convo_v" + version)
			}
		}
	}
	configuration := e.read(filepath.Join(e.source, "mirror.tfrc"))
	e.write("mirror.tfrc", strings.ReplaceAll(configuration, "/opt/terraform/mirror", filepath.ToSlash(mirror)))
	e.environment = append(e.environment, "TF_CLI_CONFIG_FILE="+filepath.Join(e.dir, "mirror.tfrc"))

	_, server, _ := strings.Cut(e.read(filepath.Join(guidesRoot, "pin-and-mirror-the-provider.md.tmpl")), "## Install From an Internal Server")
	for i, block := range strings.Split(server, "```terraform\n")[1:] {
		if i == 1 && !cliHas("", "1.10") {
			continue // OCI registries
		}
		block, _, _ = strings.Cut(block, "```")
		e.write("server.tfrc", block)
		if output := e.succeeds("TF_CLI_CONFIG_FILE=server.tfrc terraform version"); strings.Contains(output, "CLI configuration") {
			e.t.Errorf("the CLI configuration of the guide: %s", output)
		}
	}

	install("0.2.0", "")
	e.fails("terraform init", "~> 0.1.0")
	install("0.1.3", "")
	e.succeeds("terraform init; terraform apply")
	e.outputs(`{"agents": 12}`)
	e.succeeds("cat .terraform.lock.hcl", `version = "0.1.3"`, `constraints = "~> 0.1.0"`, "h1:")

	// The lock file holds back a newer patch release, and refuses another binary.
	install("0.1.4", "")
	e.succeeds("rm -r .terraform; terraform init -lockfile=readonly")
	e.succeeds("cat .terraform.lock.hcl", `version = "0.1.3"`)
	e.succeeds("terraform init -upgrade; cat .terraform.lock.hcl", `version = "0.1.4"`)
	install("0.1.4", "changed")
	e.fails("rm -r .terraform; terraform init -lockfile=readonly", "checksums")
	e.succeeds("rm .terraform.lock.hcl; terraform providers lock -fs-mirror="+mirror+" -platform="+platform,
		"Success!")
	e.fails("rm .terraform.lock.hcl; terraform init -lockfile=readonly", "lock")
}
