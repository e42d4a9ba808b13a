provider "convo" {}

data "convo_workspace_audit" "this" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
}

output "locked_agents" {
  value = [
    for agent in data.convo_workspace_audit.this.agents : agent.name
    if agent.is_locked == true
  ]
}

# Agents for which fewer than half of the started sessions were completed.
output "rarely_completed" {
  value = [
    for id, agent in data.convo_workspace_audit.this.agents : id
    if coalesce(agent.stats["last30Days"].completion_percent, 100) < 50
  ]
}

# An agent that could not be read is in neither output.
check "complete" {
  assert {
    condition     = length(data.convo_workspace_audit.this.problems) == 0
    error_message = "The audit has problems, so the outputs may be incomplete."
  }
}
