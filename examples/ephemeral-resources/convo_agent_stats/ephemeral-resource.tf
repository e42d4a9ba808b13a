ephemeral "convo_agent_stats" "workshop" {
  agent_id = "agt_workshop"
  period   = "last30Days"
}

check "workshop_is_used" {
  assert {
    condition     = coalesce(ephemeral.convo_agent_stats.workshop.total_starts, 0) > 0
    error_message = "No sessions were started in 30 days, or the number is missing."
  }
}
