// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// runPlanPoliciesExample checks plans with the policy.
func runPlanPoliciesExample(e *example) {
	if _, err := exec.LookPath("opa"); err != nil {
		e.t.Skip("OPA is not on the PATH. .ci/run builds it.")
	}
	e.copy()
	e.needs("functions", "1.8", "1.7", "terraform init", "Core version")
	const plan = "terraform plan -out=audit.tfplan; terraform show -json audit.tfplan > plan.json"
	e.succeeds("terraform init")
	for _, test := range []struct {
		change   func()
		findings []string
	}{
		{func() {}, []string{"A payment is past due, or the value is missing."}},
		{func() {
			e.edit(larkspurFile, `"isPastDue": true`, `"isPastDue": false`)
		}, nil},
		{func() {
			e.edit(larkspurFile, `(zoe@oddspoke-agency.example".*?"role": )"GUEST"`, `${1}"ADMIN"`)
			e.edit(larkspurFile, `("id": "agt_trade".*?"isPublished": )true`, "${1}false") // a contradiction, which is no finding
			e.edit("agents/agt_returns.json", `"labels": \[[^]]*\]`, `"labels": {}`)       // published, and cannot be read
			e.edit("agents/agt_kiosk.json", `"labels": \[[^]]*\]`, `"labels": []`)
			e.edit("agents/agt_scratch.json", `"labels": \[\]`, `"labels": null`)
			e.service.Exempt("an agent cannot be read")
		}, []string{
			"published without a label: agt_kiosk",
			"read_failed: agt_returns: read agent: 200, agent.profile.labels: expected an array, got an object",
			"unexpected ADMIN: zoe@oddspoke-agency.example",
		}},
	} {
		test.change()
		e.succeeds(plan)
		e.policyFindings(test.findings...)
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
	e.succeeds("terraform show -json audit.tfplan > plan.json; cat plan.json", `"shr_Or77"`)
	e.succeeds("cat plan.json", `"errored":true`)
	e.policyFindings("agt_orders is not archived.", "published without a label: agt_kiosk",
		"read_failed: agt_returns: read agent: 200, agent.profile.labels: expected an array, got an object", "unexpected ADMIN: zoe@oddspoke-agency.example")

	// A plan in which nothing was read, or something else, must not pass.
	for _, document := range []string{
		`{"format_version": "1.2", "planned_values": {"root_module": {}}}`,
		`{"prior_state": {"values": {"root_module": {"resources": [{"type": "convo_agents", "values": {"agents": []}}]}}}}`,
	} {
		e.write("plan.json", document)
		e.policyFindings("the plan contains no audit", "the plan contains no findings")
	}

	// A workspace that looks calm if the policy reads only the attributes.
	documented := e.service
	e.service = startService(e.t, withSeed(devserver.Seed{Workspaces: devserver.DefaultSeed().Workspaces, Callers: devserver.DefaultSeed().Callers}))
	e.succeeds("rm fails.tf; " + plan)
	e.policyFindings("A payment is past due, or the value is missing.", "no_agents: The service listed no agents.")
	e.service = documented

	// Audits in child modules count.
	const forwarded = "\noutput \"findings\" {\n  value = module.%s.findings\n}\n"
	e.write("outer/main.tf", "module \"inner\" {\n  source = \"./inner\"\n}\n"+fmt.Sprintf(forwarded, "inner"))
	e.succeeds("mkdir outer/inner; grep -v '^provider ' main.tf > outer/inner/main.tf")
	e.write("main.tf", "module \"outer\" {\n  source = \"./outer\"\n}\n"+fmt.Sprintf(forwarded, "outer"))
	e.succeeds("terraform init; " + plan)
	e.policyFindings("published without a label: agt_kiosk",
		"read_failed: agt_returns: read agent: 200, agent.profile.labels: expected an array, got an object", "unexpected ADMIN: zoe@oddspoke-agency.example")
}

// policyFindings runs the command of the README, which prints exactly the sorted
// findings.
func (e *example) policyFindings(want ...string) {
	e.t.Helper()
	command := e.between("examples/plan-policies/README.md", "\nopa ", "\n")
	output, err := e.run("opa " + command)
	if (err == nil) != (len(want) == 0) || output != strings.Join(want, " ") {
		e.t.Errorf("%s: got %q and the error %v, want %q", command, output, err, want)
	}
}
