ephemeral "convo_agent" "returns" {
  agent_id = "agt_returns"
}

check "locked" {
  assert {
    condition     = try(ephemeral.convo_agent.returns.exposure.state.locked, null) == true
    error_message = "The agent is unlocked, or its state is missing."
  }
}
