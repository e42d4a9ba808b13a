// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func runAuditExample(e *example) {
	e.copy()
	e.needs("write-only arguments", "1.11", "1.11", "terraform init; terraform validate")
	for name, days := range map[string]func(*example){
		"days": auditDays, "access": auditAccess, "preconditions": auditPastPreconditions,
	} {
		e.t.Run(name, func(t *testing.T) {
			t.Parallel()
			part := e.in(t)
			part.copy()
			part.succeeds("terraform init")
			days(part)
		})
	}
}

// week is a workspace that is audited day after day, with a plan, and an apply of its
// file if the plan succeeds.
type week struct {
	e        *example
	seed     devserver.Seed
	accepted map[string]string
}

// newWeek begins without a state. Any first record is accepted.
func newWeek(e *example) *week {
	e.t.Helper()
	e.succeeds("rm -f terraform.tfstate terraform.tfstate.backup")
	return &week{e: e, seed: devserver.DefaultSeed(), accepted: map[string]string{"first_record": "The test begins."}}
}

// edit replaces a text in the definition of an agent.
func (w *week) edit(agentID, before, after string) { w.seed = revised(w.seed, agentID, before, after) }

// day is one day, and its result.
type day struct {
	w           *week
	variable    string
	log, report string
}

// run begins a day: passes or fails audits the workspace.
func (w *week) run() day {
	w.e.t.Helper()
	accepted, err := json.Marshal(w.accepted)
	if err != nil {
		w.e.t.Fatal(err)
	}
	w.e.service = startService(w.e.t, withSeed(w.seed))
	return day{w: w, variable: "export TF_VAR_accepted='" + strings.ReplaceAll(string(accepted), "'", `'\''`) + "'\n"}
}

// audit runs a command, and returns what it printed.
func (d *day) audit(command string) error {
	var err error
	d.log, err = d.w.e.run(d.variable + command)
	if strings.Contains(d.w.e.output.String(), devserver.TokenWrite) {
		d.w.e.t.Errorf("the token is in the log:\n%s", d.log)
	}
	return err
}

// passes requires that an apply succeeds, what happens to the record, and texts of the report.
func (d day) passes(action string, texts ...string) day {
	d.w.e.t.Helper()
	err := d.audit("terraform apply")
	_, planned, _ := strings.Cut(d.log, "# convo_audit_record.this will be ")
	planned, _, _ = strings.Cut(planned, " ")
	if got := map[string]string{"created": "create", "updated": "update", "": "no-op"}[planned]; err != nil || got != action {
		d.w.e.t.Fatalf("got %v, action %s, want %s:\n%s", err, got, action, d.log)
	}
	d.report, _ = d.w.e.stored()["report"].(string)
	d.w.e.contains("the report", d.report, texts)
	return d
}

// fails requires that a plan fails with these errors.
func (d day) fails(errors ...string) day {
	d.w.e.t.Helper()
	if d.audit("terraform plan -out=audit.tfplan") == nil {
		d.w.e.t.Errorf("the audit passed, want %q:\n%s", errors, d.log)
	}
	d.w.e.contains("the plan", d.log, errors)
	return d
}

// reports requires texts of the report in the plan file of an audit that failed, and returns the report.
func (d day) reports(texts ...string) string {
	d.w.e.t.Helper()
	d.w.e.succeeds("terraform show -json audit.tfplan > plan.json")
	var plan struct {
		PlannedValues struct {
			Outputs struct{ Report struct{ Value string } }
		} `json:"planned_values"`
	}
	d.w.e.decode(d.w.e.read(filepath.Join(d.w.e.dir, "plan.json")), &plan)
	report := plan.PlannedValues.Outputs.Report.Value
	d.w.e.contains("the report", report, texts)
	return report
}

// changesNothing requires an empty plan: an unchanged workspace has the same report.
func (d day) changesNothing() {
	d.w.e.t.Helper()
	if d = d.passes("no-op"); !strings.Contains(d.log, "No changes. Your infrastructure matches the configuration.") {
		d.w.e.t.Errorf("the plan has a difference:\n%s", d.log)
	}
}

// key returns the only key of a rule and an object in the errors.
func (d day) key(rule, id string) string {
	d.w.e.t.Helper()
	_, errors, _ := strings.Cut(d.log, "Error: ")
	errors, _, _ = strings.Cut(errors, "These keys in accepted match no finding: ")
	keys := regexp.MustCompile(regexp.QuoteMeta(rule+"/"+id)+`/[a-z2-7]{24}`).FindAllString(errors, -1)
	if slices.Sort(keys); len(slices.Compact(keys)) != 1 {
		d.w.e.t.Fatalf("the keys of %s %s are %q, in:\n%s", rule, id, keys, errors)
	}
	return keys[0]
}

// auditPastPreconditions applies where Terraform does not evaluate preconditions: the
// resource itself refuses, and the record is kept.
func auditPastPreconditions(e *example) {
	w := newWeek(e)
	w.run().passes("create")
	w.edit("agt_orders", `"domain": "chat.larkspur-bicycles.example"`, `"domain": "evil.example"`)
	w.run().fails("access_changed")
	// In a module, -target skips the output and its precondition.
	e.succeeds(`mkdir -p module; cp main.tf module; mv main.tf main.tf.copy; sed -i 's/  lifecycle { prevent_destroy = true }//' module/main.tf`)
	e.write("root.tf", "module \"audit\" {\n  source = \"./module\"\n}\n")
	e.succeeds("terraform init; terraform state mv convo_audit_record.this module.audit.convo_audit_record.this")
	e.fails("terraform apply -target=module.audit.convo_audit_record.this", "Error: Changes are not accepted",
		"The audit was not recorded, and the record is unchanged.", "access_changed/agt_orders/")
	e.succeeds("rm -r module root.tf; mv main.tf.copy main.tf; terraform state mv module.audit.convo_audit_record.this convo_audit_record.this")
	w.run().fails("access_changed")

	// The audit is known only during the apply.
	main := e.read(filepath.Join(e.source, "main.tf"))
	e.write("main.tf", strings.Replace(main, `data "convo_workspace_audit" "this" {`,
		"resource \"terraform_data\" \"later\" {\n  triggers_replace = timestamp()\n}\n\ndata \"convo_workspace_audit\" \"this\" {\n  depends_on = [terraform_data.later]", 1))
	e.fails("terraform apply", "Error: Changes are not accepted", "access_changed/agt_orders/")
	e.take("main.tf", "main.tf")
	red := w.run().fails("access_changed")

	// A destroy always works, also while an audit fails.
	w.accepted[red.key("access_changed", "agt_orders")] = "The domain is ours."
	e.write("main.tf", strings.Replace(main, "  lifecycle { prevent_destroy = true }\n", "", 1))
	e.succeeds("terraform destroy")
}

// runAuditReportExample applies the configuration twice.
func runAuditReportExample(e *example) {
	e.parts("function.tf")
	e.copy()
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	e.succeeds("terraform init; terraform apply", "# Audit of Larkspur Bicycles", "+ passed = true")
	e.succeeds("terraform plan -detailed-exitcode", "No changes.")
	// A plan without -out stores nothing, as the guide says, although its error has names.
	e.succeeds("rm terraform.tfstate*")
	e.edit(larkspurFile, `,\s*"role": "[A-Z]+"`, "")
	e.edit("agents/agt_trade.json", `"labels": \[[^]]*\]`, `"labels": {}`)
	e.service.Exempt("an agent cannot be read")
	e.fails("terraform plan", "no_admins", "Trade desk (agt_trade)")
	e.succeeds("ls", "function.tf provider.tf")
	if output, _ := e.run("ls"); strings.Contains(output, "tfstate") {
		e.t.Errorf("the plan stored %s", output)
	}
}
