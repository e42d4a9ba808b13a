// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// runPlanPoliciesExample runs the policies whose tool is there. At least jq is,
// because another example requires it.
func runPlanPoliciesExample(e *example) {
	e.copy()
	const plan = "terraform plan -out=audit.tfplan; terraform show -json audit.tfplan > plan.json"
	e.succeeds("terraform init")
	for _, test := range []struct {
		change   func()
		findings []string
	}{
		{func() {}, []string{"A payment is past due."}},
		{func() {
			e.edit(larkspurFile, `"isPastDue": true`, `"isPastDue": false`)
		}, nil},
		{func() {
			e.edit(larkspurFile, `(zoe@oddspoke-agency.example".*?"role": )"GUEST"`, `${1}"ADMIN"`)
			e.edit(larkspurFile, `("id": "agt_trade".*?"isPublished": )true`, "${1}false") // a contradiction, which is no finding
			e.edit("agents/agt_bikefit.json", `"labels": \[[^]]*\]`, `"labels": {}`)
			e.edit("agents/agt_kiosk.json", `"labels": \[[^]]*\]`, `"labels": []`)
			e.edit("agents/agt_scratch.json", `"labels": \[\]`, `"labels": null`)
		}, []string{"unexpected ADMIN: zoe@oddspoke-agency.example", "published without a label: agt_kiosk", "read agent, agt_bikefit, "}},
	} {
		test.change()
		e.succeeds(plan)
		e.policies(test.findings)
	}

	// A plan that fails because of a postcondition has the data, and no secret is
	// masked in it.
	e.write("fails.tf", `data "convo_agent" "orders" {
  agent_id = "agt_orders"
  lifecycle {
    postcondition {
      condition     = self.exposure.state.archived
      error_message = "agt_orders is not archived."
    }
  }
}
`)
	e.fails("terraform plan -out=audit.tfplan")
	e.succeeds("terraform show -json audit.tfplan > plan.json")
	e.policies([]string{"agt_orders is not archived.", "unexpected ADMIN: zoe@oddspoke-agency.example"})
	e.succeeds("cat plan.json", `"shr_Or77"`)
	if cliHas("1.6", "1.6") {
		e.succeeds("cat plan.json", `"errored":true`)
	}

	// A plan in which nothing was read, or something else, must not pass.
	for _, document := range []string{
		`{"format_version": "1.2", "planned_values": {"root_module": {}}}`,
		`{"prior_state": {"values": {"root_module": {"resources": [{"type": "convo_agents", "values": {"agents": []}}]}}}}`,
	} {
		e.write("plan.json", document)
		e.policies([]string{"the plan contains no audit"})
	}

	// Audits in child modules count.
	e.write("outer/main.tf", "module \"inner\" {\n  source = \"./inner\"\n}\n")
	e.succeeds("rm fails.tf; mkdir outer/inner; grep -v '^provider ' main.tf > outer/inner/main.tf")
	e.write("main.tf", "module \"outer\" {\n  source = \"./outer\"\n}\n")
	e.succeeds("terraform init; " + plan)
	e.policies([]string{"unexpected ADMIN: zoe@oddspoke-agency.example", "published without a label: agt_kiosk"})
}

// policyCommands are the commands of the README for the tools on the PATH.
func (e *example) policyCommands() map[string]string {
	e.t.Helper()
	commands := map[string]string{}
	for line := range strings.Lines(e.read(filepath.Join(e.source, "README.md"))) {
		for tool, prefix := range map[string]string{
			"jq": "./policy.sh", "python3": "python3 ", "opa": "opa eval", "conftest": "conftest test",
		} {
			if _, err := exec.LookPath(tool); (err == nil || tool == "jq") && strings.HasPrefix(line, prefix) {
				commands[tool] = strings.TrimSpace(strings.Replace(line, "./policy.sh", "sh policy.sh", 1))
			}
		}
	}
	return commands
}

// policies runs the policies on the plan's JSON.
func (e *example) policies(findings []string) {
	e.t.Helper()
	for name, command := range e.policyCommands() {
		if len(findings) == 0 {
			e.succeeds(command)
			continue
		}
		output, err := e.run(command)
		if err == nil || strings.Contains(output, "agt_trade") {
			e.t.Errorf("%s does not fail, or reports a contradiction:\n%s", name, output)
		}
		e.contains(command, output, findings)
	}
}
