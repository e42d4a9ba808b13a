data "convo_workspace_audit" "this" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
}

output "summary" {
  value = data.convo_workspace_audit.this.summary
}

# Agents whose sessions are completed less than every second time.
output "seldom_completed" {
  value = [
    for id, agent in data.convo_workspace_audit.this.agents : id
    if try(agent.stats["last30Days"].total_completed < 0.5 * agent.stats["last30Days"].total_starts, false)
  ]
}
