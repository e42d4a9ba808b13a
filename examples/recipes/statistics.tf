data "convo_workspace_audit" "this" {
  workspace_id  = "ws_larkspur01"
  stats_periods = ["last30Days"]
}

locals {
  stats = { for id, agent in data.convo_workspace_audit.this.agents : id => agent.stats["last30Days"] }
}

output "table" {
  value = join("\n", concat(
    ["| Agent | Starts | Completed | Percent |", "|---|--:|--:|--:|"],
    [for id, s in local.stats : format("| `%s` | %s | %s | %s |", id,
    [for number in [s.total_starts, s.total_completed, s.completion_percent] : coalesce(number, "–")]...)],
  ))
}

output "total_starts" {
  value = sum(concat([0], [for s in local.stats : s.total_starts if s.total_starts != null]))
}
