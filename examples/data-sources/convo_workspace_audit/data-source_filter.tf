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
