# Returns the findings in a plan, for OPA 1.0 or later and for Conftest.
package main

import rego.v1

allowed_admins := {"adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"}

# The audits in the root module and in all child modules.
audits contains resource.values if {
	walk(input.prior_state.values.root_module, [_, module])
	some resource in module.resources
	resource.type == "convo_workspace_audit"
}

# The findings of audit_report, in an output of the root module.
findings := input.planned_values.outputs.findings.value

# Without these rules, a plan that read nothing would pass.
deny contains "the plan contains no audit" if count(audits) == 0

deny contains "the plan contains no findings" if not findings

# The built-in rules report errors if data is missing, or is of another workspace.
deny contains concat(": ", [part | some part in parts; part != ""]) if {
	some finding in findings
	finding.level == "error"
	parts := [finding.rule, finding.id, finding.message]
}

deny contains problem.message if {
	some instance in input.checks[_].instances
	some problem in instance.problems
}

deny contains sprintf("unexpected ADMIN: %s", [email]) if {
	some audit in audits
	some email in audit.emails_by_role.ADMIN
	not email in allowed_admins
}

deny contains sprintf("published without a label: %s", [agent.id]) if {
	some audit in audits
	some agent in audit.agents
	agent.is_published != false
	agent.definition_hash != null # Null if the definition was not read.
	agent.labels == []
}
