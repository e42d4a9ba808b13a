# The share token of the agent is checked, but not stored.
ephemeral "convo_agent" "returns" {
  agent_id = "agt_returns"
}

check "shared" {
  assert {
    condition     = ephemeral.convo_agent.returns.exposure.access.share.token == null
    error_message = "The agent can be shared by link."
  }
}
