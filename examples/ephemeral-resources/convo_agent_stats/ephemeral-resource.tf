ephemeral "convo_agent_stats" "returns" {
  agent_id = "agt_returns"
}
