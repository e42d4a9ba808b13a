data "convo_agent_stats" "workshop" {
  for_each = toset(["last7Days", "last30Days", "allTime"])
  agent_id = "agt_workshop"
  period   = each.key
}

# Share of started sessions that were completed, by period.
output "completed" {
  value = {
    for period, stats in data.convo_agent_stats.workshop : period =>
    stats.total_starts > 0 ? format("%.1f %%", 100 * stats.total_completed / stats.total_starts) : "no starts"
  }
}
