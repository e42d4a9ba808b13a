data "convo_workspace_audit" "this" {
  workspace_id  = "ws_larkspur01"
  stats_periods = ["last30Days"]
}

output "admins" {
  value = lookup(data.convo_workspace_audit.this.emails_by_role, "ADMIN", [])
}

# Agents with fewer than half of their sessions completed.
output "rarely_completed" {
  value = [
    for id, agent in data.convo_workspace_audit.this.agents : id
    if coalesce(agent.stats["last30Days"].completion_percent, 100) < 50
  ]
}
