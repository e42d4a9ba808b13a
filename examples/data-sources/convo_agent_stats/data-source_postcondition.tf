data "convo_agent_stats" "returns" {
  agent_id = "agt_returns"
  period   = "last30Days"

  lifecycle {
    postcondition {
      condition     = coalesce(self.completion_percent, 100) >= 50
      error_message = "Fewer than half of the started sessions were completed."
    }
  }
}
