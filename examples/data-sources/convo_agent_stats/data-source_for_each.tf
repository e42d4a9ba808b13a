data "convo_agent_stats" "workshop" {
  for_each = toset(["last7Days", "last30Days", "allTime"])
  agent_id = "agt_workshop"
  period   = each.key
}

output "completion_percentages" {
  value = {
    for period, stats in data.convo_agent_stats.workshop : period => stats.completion_percent
  }
}
