data "convo_workspace_audit" "this" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
}

output "admins" {
  value = data.convo_workspace_audit.this.emails_by_role["ADMIN"]
}

output "locked_agents" {
  value = [for a in data.convo_workspace_audit.this.agents : a.name if a.is_locked == true]
}

# Agents with fewer completed sessions than half of the started ones.
output "seldom_completed" {
  value = [
    for id, a in data.convo_workspace_audit.this.agents : id
    if coalesce(a.stats["last30Days"].completion_rate, 1) < 0.5
  ]
}

output "sessions" {
  value = data.convo_workspace_audit.this.summary.stats["last30Days"]
}
