ephemeral "convo_agent_stats" "returns" {
  agent_id = "agt_returns"
  period   = "last30Days"
}

# Prints a warning if fewer than half of the started sessions were completed. The percentage is null
# if no sessions were started, and the check then passes.
check "completed" {
  assert {
    condition     = coalesce(ephemeral.convo_agent_stats.returns.completion_percent, 100) >= 50
    error_message = "Fewer than half of the started sessions were completed."
  }
}
