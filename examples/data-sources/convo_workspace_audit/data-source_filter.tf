data "convo_workspace_audit" "this" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
}

# Agents without a label. If definition_hash is null, the labels are unknown.
output "unlabeled_agents" {
  value = [
    for id, agent in data.convo_workspace_audit.this.agents : id
    if agent.definition_hash != null && length(agent.labels) == 0
  ]
}

# Agents for which fewer than half of the started sessions were completed.
output "rarely_completed" {
  value = [
    for id, agent in data.convo_workspace_audit.this.agents : id
    if coalesce(agent.stats["last30Days"].completion_percent, 100) < 50
  ]

  # Fail instead of silently omitting agents whose statistics could not be read.
  precondition {
    condition     = data.convo_workspace_audit.this.is_complete
    error_message = "The audit is incomplete."
  }
}
