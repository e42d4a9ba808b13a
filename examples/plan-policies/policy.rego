# Returns the findings in a plan, for OPA 1.0 or later and for Conftest.
package main

import rego.v1

allowed_admins := {"adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"}

# The kinds of problems that make an audit incomplete.
incomplete := {"read_failed", "not_read", "incomplete_list"}

# The audits in the root module and in all child modules.
audits contains resource.values if {
	walk(input.prior_state.values.root_module, [_, module])
	some resource in module.resources
	resource.type == "convo_workspace_audit"
}

# Without this rule, a plan that read nothing would pass.
deny contains "the plan contains no audit" if count(audits) == 0

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
	agent.is_published == true
	agent.definition_hash != null # Otherwise, the labels are unknown.
	agent.labels == []
}

# The other rules cannot check data that could not be read.
deny contains concat(", ", [part | some part in parts; part != null]) if {
	some audit in audits
	some problem in audit.problems
	problem.kind in incomplete
	parts := [problem.operation, problem.agent_id, problem.message]
}
