ephemeral "convo_agent_stats" "returns" {
  agent_id = "agt_returns"
  period   = "last30Days"
}

check "completed" {
  assert {
    condition     = coalesce(ephemeral.convo_agent_stats.returns.completion_percent, 100) >= 50
    error_message = "Fewer than half of the started sessions were completed."
  }
}
