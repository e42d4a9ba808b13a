data "convo_workspace_audit" "this" {
  workspace_id  = "ws_larkspur01"
  stats_periods = ["last30Days"]

  # Fail instead of silently omitting agents that could not be read.
  lifecycle {
    postcondition {
      condition     = self.is_complete
      error_message = "The audit is incomplete."
    }
  }
}

locals {
  agents = data.convo_workspace_audit.this.agents
}

# Agents without a label.
output "unlabeled_agents" {
  value = [for id, agent in local.agents : id if length(agent.labels) == 0]
}

# Agents for which fewer than half of the started sessions were completed.
output "rarely_completed" {
  value = [
    for id, agent in local.agents : id
    if coalesce(agent.stats["last30Days"].completion_percent, 100) < 50
  ]
}

# Published agents without started sessions.
output "unused" {
  value = [
    for id, agent in local.agents : id
    if agent.is_published == true && agent.stats["last30Days"].total_starts == 0
  ]
}

# Agents by the number of started sessions, the highest first.
output "most_started" {
  value = reverse(sort([
    for id, agent in local.agents : format("%8.0f  %s", agent.stats["last30Days"].total_starts, id)
    if agent.stats["last30Days"].total_starts != null
  ]))
}
