data "convo_workspace_audit" "this" {
  workspace_id  = "ws_larkspur01"
  stats_periods = ["last30Days"]

  # Fail instead of omitting what could not be read.
  lifecycle {
    postcondition {
      condition     = self.is_complete
      error_message = "The audit is incomplete. ${join(" ", distinct(compact(self.problems[*].message)))}"
    }
  }
}

output "unlabeled_agents" {
  value = [for id, agent in data.convo_workspace_audit.this.agents : id if length(agent.labels) == 0]
}

# Agents for which fewer than half of the started sessions were completed.
output "rarely_completed" {
  value = [
    for id, agent in data.convo_workspace_audit.this.agents : id
    if coalesce(agent.stats["last30Days"].completion_percent, 100) < 50
  ]
}
