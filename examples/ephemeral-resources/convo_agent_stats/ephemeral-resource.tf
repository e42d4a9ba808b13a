ephemeral "convo_agent_stats" "returns" {
  agent_id = "agt_returns"
  period   = "last30Days"
}

check "completed" {
  assert {
    condition     = ephemeral.convo_agent_stats.returns.total_completed >= 0.5 * ephemeral.convo_agent_stats.returns.total_starts
    error_message = "Less than half of the started sessions were completed."
  }
}
