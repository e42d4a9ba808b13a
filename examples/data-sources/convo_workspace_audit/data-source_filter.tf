data "convo_workspace_audit" "this" {
  workspace_id      = "larkspur"
  stats_periods     = ["last30Days"]
  include_variables = true
}

output "locked_agents" {
  value = [
    for agent in data.convo_workspace_audit.this.agents : agent.name
    if agent.is_locked == true
  ]
}

# Agents without a label. If definition_hash is null, the definition could not be read, so
# the labels are unknown.
output "unlabeled_agents" {
  value = [
    for id, agent in data.convo_workspace_audit.this.agents : id
    if agent.definition_hash != null && length(agent.labels) == 0
  ]
}

# Agents of another workspace. An agent whose workspace is unknown is not in the list.
output "foreign_agents" {
  value = [
    for id, agent in data.convo_workspace_audit.this.agents : id
    if length(setsubtract(
      compact([agent.workspace_ref]),
      compact([
        data.convo_workspace_audit.this.workspace.id,
        data.convo_workspace_audit.this.workspace.slug,
      ]),
    )) > 0
  ]
}

# Names of the session variables of each agent.
output "session_variables" {
  value = {
    for id, agent in data.convo_workspace_audit.this.agents : id => [
      for variable in agent.variables : variable.name
      if try(variable.is_session_variable, null) == true
    ]
  }
}

# Agents for which fewer than half of the started sessions were completed.
output "rarely_completed" {
  value = [
    for id, agent in data.convo_workspace_audit.this.agents : id
    if coalesce(agent.stats["last30Days"].completion_percent, 100) < 50
  ]

  # Without this, agents whose statistics could not be read would be missing from the list.
  precondition {
    condition = alltrue([
      for problem in data.convo_workspace_audit.this.problems :
      problem.kind == "contradiction" || problem.operation == "read workspace"
    ])
    error_message = "The audit is incomplete."
  }
}
