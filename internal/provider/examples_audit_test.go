// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/oasdiff/yaml"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const (
	auditTitle     = "# Audit of Larkspur Bicycles\n\n"
	auditFindings  = "| Severity | Rule | Finding |\n|---|---|---|\n"
	auditWorkspace = "| ⚠️ Warning | workspace | A payment is past due. |\n" +
		"| ⚠️ Warning | workspace\\_agents | The workspace of these agents is unknown: agt\\_scratch. |\n"
	auditCompletion = "| ⚠️ Warning | completion | Returns \\& refunds (agt\\_returns) completed 15% of its sessions. |\n"
	// auditOtherWarnings are those that concern neither the workspace nor agt_returns.
	auditOtherWarnings = "| ⚠️ Warning | graphs | Shop kiosk – Größenberatung (agt\\_kiosk): The link from the node \"Fahrradtyp\" leads " +
		"to \"grp\\_cargo\", which is not in the graph. A session ends there. |\n" +
		"| ⚠️ Warning | graphs | Order status (agt\\_orders): No links or jumps lead from an entry point to the node \"Holiday notice\", so no session reaches it. |\n" +
		"| ⚠️ Warning | graphs | Trade desk (agt\\_trade): The entry point \"event\" has no link, so no session can reach a node from it. |\n" +
		"| ⚠️ Warning | owners | Shop kiosk – Größenberatung (agt\\_kiosk) has no label that names its owner. |\n"
	auditWarnings = auditWorkspace + auditCompletion + auditOtherWarnings
	auditMissing  = "\n## Missing data\n\n| Unknown | Agents | IDs |\n|---|--:|---|\n" +
		"| workspace | 1 of 12 | agt\\_scratch |\n| state | 1 of 12 | agt\\_scratch |\n"
	auditChanged   = "\n## Changes since the last record\n\n### Access\n\n"
	auditOther     = "There are no changes.\n\n### Other changes\n\n| What | Name | ID | Before | Now |\n|---|---|---|---|---|\n"
	auditAdmin     = "soren@larkspur-bicycles.example unexpectedly has the ADMIN role."
	auditFirst     = auditMissing + "\n## Changes since the last record\n\nThere is no earlier record of this workspace.\n\n## Agents\n\n"
	auditUnchanged = auditMissing + "\n## Changes since the last record\n\nThere are no changes.\n\n## Agents\n\n"
)

func runAuditExample(e *example) {
	e.copy()
	if !e.withFunctions() {
		return
	}
	e.succeeds("terraform init; rm -r .terraform")
	auditDays(e)
	auditUnseen(e)
	auditFailures(e)
	auditNoEmail(e)
	auditLog(e)
	auditOwnRule(e)
	auditElsewhere(e)
}

// auditDays runs the pipeline day after day.
func auditDays(e *example) {
	run := e.audit()
	run.check("recorded", auditTitle+"**0 errors, 7 warnings**\n\n"+auditFindings+auditWarnings+auditFirst)
	run.contains("| Trade desk | agt\\_trade | published, locked | 64 | dealers | 49 | 44 | 89% |\n", "| 8 | 12 | 6 | 2 (11 of 12 known) | 3 (11 of 12 known) | 2752 | 2392 | 86% |\n")
	run.printed("Warning: Check block assertion failed")
	if strings.Contains(run.log, "@larkspur-bicycles.example") {
		e.t.Errorf("an email address that no finding names is in the log:\n%s", run.log)
	}

	// A failed plan has a report, too, and nothing is recorded.
	failed := auditTitle + "**1 error, 7 warnings**\n\n" + auditFindings + auditWorkspace + "| ❌ Error | admins | " + auditAdmin + " |\n" + auditCompletion + auditOtherWarnings
	for range 2 {
		run = e.audit(`TF_VAR_allowed_admins=["adaeze@larkspur-bicycles.example"]`)
		run.check("failed", failed+auditUnchanged)
		run.contains("\n## Errors\n\n")
		run.printed(auditAdmin)
	}

	e.revise("agt_trade", `"revision": "64"`, `"revision": "65"`)
	run = e.audit()
	run.check("recorded", auditTitle+"**0 errors, 7 warnings**\n\n"+auditFindings+auditWarnings+auditMissing+auditChanged+auditOther+
		"| agent revision | Trade desk | agt\\_trade | revision 64 | revision 65 |\n\n## Agents")
	unchanged := auditTitle + "**0 errors, 7 warnings**\n\n" + auditFindings + auditWarnings + auditUnchanged
	e.audit().check("recorded", unchanged)

	// A pull request records nothing.
	e.revise("agt_trade", `"revision": "64"`, `"revision": "66"`)
	for range 2 {
		run = e.audit("RECORD=false")
		run.check("not recorded", auditTitle+"**0 errors, 7 warnings**\n\n"+auditFindings+auditWarnings+auditMissing+auditChanged+auditOther+
			"| agent revision | Trade desk | agt\\_trade | revision 65 | revision 66 |\n")
	}

	seed := revisedSeed("agt_scratch", `"profile": {`, `"tenancy": {"workspaceRef": "ws_larkspur01"}, "profile": {`)
	workspace := seed.Workspaces[0].Documents
	workspace["workspace"] = bytes.Replace(workspace["workspace"], []byte(`"isPastDue": true`), []byte(`"isPastDue": false`), 1)
	e.service = startService(e.t, withSeed(seed))
	run = e.audit(`TF_VAR_owner_labels=["dealers","people","service","shop"]`, "TF_VAR_minimum_completion_percent=15",
		"TF_VAR_graph_finding_kinds=[]")
	run.check("recorded", auditTitle+"**0 errors, 0 warnings**\n\nThere are no findings.\n\n## Missing data")
}

// runAuditReportExample applies the configuration, stores the record and applies
// it again.
func runAuditReportExample(e *example) {
	e.only("function.tf", providerFile)
	e.copy()
	if !e.withFunctions() {
		return
	}
	const apply = "terraform apply; terraform output -raw report > report.md; terraform output -raw record > record.json"
	const noFindings = auditTitle + "**0 errors, 0 warnings**\n\nThere are no findings.\n"
	e.succeeds("terraform init; " + apply)
	e.prefix("report", e.read(filepath.Join(e.dir, "report.md")), noFindings+auditFirst)
	e.succeeds(apply)
	e.prefix("report", e.read(filepath.Join(e.dir, "report.md")), noFindings+auditUnchanged)
}

func auditFailures(e *example) {
	run := e.audit("CONVO_TOKEN=wrong")
	run.check("failed", "# The audit failed\n\n## Errors\n\n")
	run.printed("The service returned 401 Unauthorized for ", "may be invalid or expired")

	e.audit("TF_VAR_workspace=ws_tidepool02").check("failed", "# Audit of Tidepool Studio\n\n**1 error, 6 warnings**\n\n"+auditFindings+
		"| ❌ Error | workspace\\_agents | Agents belong to workspace ws\\_larkspur01, but the audited workspace is ws\\_tidepool02. |\n")

	e.service = startService(e.t, withFault(func(r *http.Request) http.Handler {
		if strings.HasPrefix(r.URL.Path, "/v1/agents/agt_returns") {
			return devserver.ErrorHandler(http.StatusForbidden)
		}
		return nil
	}))
	pastDue, unknownWorkspace, _ := strings.Cut(auditWorkspace, "\n")
	const failed = "| ❌ Error | workspace\\_problems | Returns \\& refunds (agt\\_returns): "
	const forbidden = ": 403, FORBIDDEN, Insufficient access |\n"
	run = e.audit()
	run.check("failed", auditTitle+"**2 errors, 6 warnings**\n\n"+auditFindings+pastDue+"\n"+
		strings.Replace(unknownWorkspace, "agt\\_scratch", "agt\\_returns, agt\\_scratch", 1)+
		failed+"read agent statistics (last30Days)"+forbidden+failed+"read agent"+forbidden+auditOtherWarnings+"\n## Missing data\n")
	run.contains("| Returns \\& refunds | agt\\_returns | published, otherwise unknown | unknown | unknown | unknown | unknown | unknown |\n",
		"| read\\_failed | read agent | 403, FORBIDDEN, Insufficient access | 1 | agt\\_returns |\n")

	// Drafts, missing fields and contradictions do not fail the pipeline.
	e.service = startService(e.t, withSeed(revisedSeed("agt_kiosk", `"published": true`, `"published": false`)),
		withFault(draftStats), withoutFields("workspace.chatUsage"))
	run = e.audit()
	if !run.succeeded {
		e.t.Errorf("the run failed:\n%s", run.log)
	}
	run.contains("| ⚠️ Warning | workspace\\_problems | Workspace: read workspace: The response does not contain these values, which the API documents as "+
		"never null: chat\\_usage. |\n", "| ⚠️ Warning | workspace\\_problems | Shop kiosk – Größenberatung (agt\\_kiosk): list agents: The list and the "+
		"definition disagree about whether the agent is published.")

	// Without the workspace's ID, it is unknown whether the agents belong to another one.
	e.service = startService(e.t, withoutFields("workspace.id"))
	run = e.audit()
	run.check("failed", auditTitle+"**1 error, 7 warnings**\n\n")
	run.contains("| ❌ Error | workspace\\_agents | The agents' workspace is unknown. |\n")

	// An apply that fails is in the report.
	e.service = startService(e.t)
	e.write("stale.sh", "#!/bin/sh\nif [ \"$1\" = apply ]; then echo 'Error: Saved plan is stale' >&2; exit 1; fi\nexec terraform \"$@\"\n")
	e.succeeds("chmod +x stale.sh")
	run = e.audit("TERRAFORM=./stale.sh")
	run.check("failed", auditTitle+"**0 errors, 7 warnings**\n\n")
	run.contains("\n## Errors\n\n    Error: Saved plan is stale\n")
	e.succeeds("rm stale.sh")

	// What the rules require is missing.
	e.service = startService(e.t, withoutFields("workspace.isSuspended", "agents.isPublished", "agent.exposure.state.published"))
	run = e.audit()
	run.check("failed", auditTitle+"**1 error, 16 warnings**\n\n"+auditFindings+
		"| ❌ Error | workspace | It is unknown whether the workspace is suspended. See the rule \"workspace\" in rules.tf. |\n")
	run.contains("| Returns \\& refunds | agt\\_returns | unknown | 42 |")
	e.service = startService(e.t, withoutFields("members.role"))
	e.audit().check("failed", auditTitle+"**1 error, 7 warnings**\n\n"+auditFindings+auditWorkspace+
		"| ❌ Error | no\\_admins | No member has the ADMIN role. |\n")
	e.service = startService(e.t, workspaceInQuery)
	e.audit(`TF_VAR_agent_query={workspaceId="ws_none"}`).check("failed", auditTitle+"**2 errors, 1 warning**\n\n"+auditFindings+
		"| ⚠️ Warning | workspace | A payment is past due. |\n| ❌ Error | workspace\\_agents | The service listed no agents. |\n")

	// A plan without errors is not enough: the audit fails without a report, too.
	e.service = startService(e.t)
	e.fails(`mkdir bin; printf 'echo no jq >&2; exit 1' > bin/jq; chmod +x bin/jq; PATH="$PWD/bin:$PATH" sh audit.sh`, "no jq")
	e.prefix("report", e.read(filepath.Join(e.dir, "report.md")), "# The audit failed\n\n## Errors\n\n    no jq\n")

	// Without the previous record, all changes would be recorded and not shown.
	recorded := e.read(filepath.Join(e.dir, "terraform.tfstate"))
	e.write("terraform.tfstate", "broken")
	e.audit().check("failed", "# The audit did not start\n")
	e.write("terraform.tfstate", recorded)

	// Without the provider, the audit does not start.
	e.succeeds("rm -r .terraform; mv .terraform.lock.hcl kept.hcl")
	e.audit().check("failed", "# The audit did not start\n")
	e.succeeds("mv kept.hcl .terraform.lock.hcl")
}

// auditNoEmail audits an administrator whom only the role shows.
func auditNoEmail(e *example) {
	seed := devserver.DefaultSeed()
	workspace := seed.Workspaces[0].Documents
	workspace["members"] = bytes.Replace(workspace["members"], []byte(`"email": "ilija@larkspur-bicycles.example"`), []byte(`"email": null`), 1)
	workspace["members"] = bytes.Replace(workspace["members"], []byte(`"BILLING"`), []byte(`"ADMIN"`), 1)
	e.service = startService(e.t, withSeed(seed))
	run := e.audit()
	run.check("failed", auditTitle+"**1 error, 7 warnings**\n\n"+auditFindings+auditWorkspace+
		"| ❌ Error | admins | A member without an email address unexpectedly has the ADMIN role. |\n")
	run.contains("| no email address | – | ADMIN |\n", "| ilija@larkspur-bicycles.example | BILLING | – |\n")
}

// auditLog reads an agent whose name would escape from the report's code block,
// change the terminal, and act as a command of GitHub's runner, which executes
// ##[ anywhere in a line.
func auditLog(e *example) {
	seed := devserver.DefaultSeed()
	for i, agent := range seed.Agents {
		if agent.ID == "agt_returns" {
			seed.Agents[i].Summary = bytes.Replace(agent.Summary, []byte(`"Returns & refunds"`),
				[]byte(`"a\r# @all\r\n::error::b\n##[error]c\u001b[31m\u202e"`), 1)
		}
	}
	e.service = startService(e.t, withSeed(seed), withFault(func(r *http.Request) http.Handler {
		if strings.HasPrefix(r.URL.Path, "/v1/agents/agt_returns") {
			return devserver.ErrorHandler(http.StatusForbidden)
		}
		return nil
	}))
	run := e.audit("TF_LOG=TRACE")
	run.check("failed", auditTitle+"**2 errors, 6 warnings**\n\n")
	_, errors, _ := strings.Cut(run.summary, "\n## Errors\n\n")
	const name = "a # @all :\u200b:error:\u200b:b #\u200b#\u200b[error]c[31m (agt_returns)"
	e.contains("the errors", errors, []string{name})
	for _, line := range strings.FieldsFunc(errors, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if !strings.HasPrefix(line, "    ") || strings.Contains(line, "\x1b") || strings.Contains(line, "[TRACE]") {
			e.t.Errorf("the report has %q outside of its code block, or a line of the log", line)
		}
	}

	before, log, _ := strings.Cut(run.log, "::stop-commands::")
	token, log, _ := strings.Cut(log, "\n")
	if len(token) != 32 || strings.Contains(before, "error") {
		e.t.Errorf("commands are stopped with the token %q after:\n%s", token, before)
	}
	e.contains("the log", log, []string{name})
	if strings.Contains(log, "::error") || strings.Contains(log, "##[") || strings.ContainsAny(log, "\x1b\u202e") {
		e.t.Errorf("the log contains what the name contains:\n%s", log)
	}
}

// auditOwnRule adds the rule that the guide shows.
func auditOwnRule(e *example) {
	rules := e.read(filepath.Join(e.source, "rules.tf"))
	e.write("rules.tf", strings.Replace(rules, "  warnings = {\n", "  warnings = {\n"+e.guideBlock("audit-in-ci", 0), 1))
	e.service = startService(e.t)
	e.audit().contains("| ⚠️ Warning | risk | Trade desk (agt\\_trade) has the risk score 21.25. |\n")
	e.take("rules.tf", "rules.tf")
}

// auditRun is one run of the pipeline.
type auditRun struct {
	e            *example
	summary, log string
	succeeded    bool
}

// check compares the outcome, and how the summary begins.
func (r auditRun) check(outcome, summary string) {
	r.e.t.Helper()
	got := "not recorded"
	switch {
	case !r.succeeded:
		got = "failed"
	case strings.Contains(r.log, "Apply complete!"):
		got = "recorded"
	}
	if got != outcome {
		r.e.t.Errorf("the run is %s, not %s:\n%s", got, outcome, r.log)
	}
	r.e.prefix("summary", r.summary, summary)
}

// printed are texts of the log and, where the run failed, of the summary.
func (r auditRun) printed(want ...string) {
	r.e.t.Helper()
	r.e.contains("the pipeline", strings.Join(strings.Fields(r.log), " "), want)
	if !r.succeeded {
		r.e.contains("the summary", strings.Join(strings.Fields(r.summary), " "), want)
	}
	if strings.Contains(r.log, devserver.TokenWrite) {
		r.e.t.Errorf("the token is in the log:\n%s", r.log)
	}
}

func (r auditRun) contains(want ...string) {
	r.e.t.Helper()
	r.e.contains("the summary", r.summary, want)
}

func (e *example) prefix(what, got, want string) {
	e.t.Helper()
	if diff := cmp.Diff(want, got[:min(len(want), len(got))]); diff != "" {
		e.t.Errorf("unexpected %s (-want +got):\n%s", what, diff)
	}
}

// audit runs the workflow as GitHub does: a step that fails ends it but for the
// steps that always run. Only the steps that ask for the token have it.
func (e *example) audit(variables ...string) auditRun {
	e.t.Helper()
	e.write("summary.md", "")
	e.succeeds("rm -f report.md")
	run := auditRun{e: e, succeeded: true}
	for _, step := range e.workflow("audit") {
		if step.Run == "" || !run.succeeded && step.If != "always()" {
			continue
		}
		if _, err := os.Stat(filepath.Join(e.dir, ".terraform")); err == nil && step.Run == "terraform init -lockfile=readonly" {
			continue // It is still installed since the run before.
		}
		if step.If != "" && step.If != "always()" {
			e.t.Fatalf("the step %q has the condition %q", step.Name, step.If)
		}
		environment := append(slices.Clone(e.environment), "GITHUB_STEP_SUMMARY=summary.md")
		if step.Env["CONVO_TOKEN"] == "${{ secrets.CONVO_TOKEN }}" {
			environment = slices.Concat(environment, e.service.variables(), []string{"RECORD=true"}, variables)
		}
		e.output.Reset()
		run.succeeded = e.sh(environment, step.Run) == nil && run.succeeded
		run.log += e.output.String()
	}
	run.summary = e.read(filepath.Join(e.dir, "summary.md"))
	return run
}

func (e *example) yaml(file string, into any) {
	e.t.Helper()
	content, err := yaml.YAMLToJSON([]byte(e.read(filepath.Join(e.source, file))))
	if err != nil {
		e.t.Fatalf("%s: %v", file, err)
	}
	e.decode(string(content), into)
}
