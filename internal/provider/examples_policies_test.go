// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// runPlanPoliciesExample runs the policies whose tool is there. What all of them
// read, the JSON of the plan, is checked in any case.
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
		e.policyFindings([]string{"the plan contains no audit"})
	}

	// Audits in child modules count.
	e.write("outer/main.tf", "module \"inner\" {\n  source = \"./inner\"\n}\n")
	e.succeeds("rm fails.tf; mkdir outer/inner; grep -v '^provider ' main.tf > outer/inner/main.tf")
	e.write("main.tf", "module \"outer\" {\n  source = \"./outer\"\n}\n")
	e.succeeds("terraform init; " + plan)
	e.policyFindings([]string{"unexpected ADMIN: zoe@oddspoke-agency.example", "published without a label: agt_kiosk"})
}

// policyCommands are the commands of the README for the tools on the PATH.
func (e *example) policyCommands() map[string]string {
	e.t.Helper()
	commands := map[string]string{}
	for line := range strings.Lines(e.read(filepath.Join(e.source, "README.md"))) {
		for tool, prefix := range map[string]string{
			"jq": "./policy.sh", "python3": "python3 ", "opa": "opa eval", "conftest": "conftest test",
		} {
			if _, err := exec.LookPath(tool); err == nil && strings.HasPrefix(line, prefix) {
				commands[tool] = strings.TrimSpace(strings.Replace(line, "./policy.sh", "sh policy.sh", 1))
			}
		}
	}
	return commands
}

// policies checks the plan's JSON, and runs the policies on it.
func (e *example) policies(findings []string) {
	e.t.Helper()
	var plan struct {
		Checks []struct {
			Instances []struct{ Problems []struct{ Message string } }
		}
		PriorState struct {
			Values struct {
				RootModule struct {
					Resources []struct {
						Type   string
						Values struct {
							EmailsByRole map[string][]string `json:"emails_by_role"`
							Agents       map[string]struct {
								Labels []string
							}
						}
					}
				} `json:"root_module"`
			}
		} `json:"prior_state"`
	}
	e.decode(e.read(filepath.Join(e.dir, "plan.json")), &plan)
	audits := 0
	for _, resource := range plan.PriorState.Values.RootModule.Resources {
		if resource.Type == "convo_workspace_audit" && len(resource.Values.Agents) == 12 && len(resource.Values.EmailsByRole["ADMIN"]) >= 2 {
			audits++
		}
	}
	if len(plan.Checks) == 0 || audits != 1 {
		e.t.Errorf("the plan has %d checks and %d audits", len(plan.Checks), audits)
	}

	e.policyFindings(findings)
}

// policyFindings runs the policies on the plan's JSON.
func (e *example) policyFindings(findings []string) {
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
