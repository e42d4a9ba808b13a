data "convo_workspace_audit" "this" {
  workspace_id  = "ws_larkspur01"
  stats_periods = ["last30Days"]
}

output "admins" {
  value = lookup(data.convo_workspace_audit.this.emails_by_role, "ADMIN", [])
}

output "sessions" {
  value = data.convo_workspace_audit.this.summary.stats["last30Days"]
}

output "problems" {
  value = data.convo_workspace_audit.this.problems
}
