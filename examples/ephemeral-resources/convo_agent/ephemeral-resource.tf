ephemeral "convo_agent" "returns" {
  agent_id = "agt_returns"
}

check "not_shared" {
  assert {
    condition     = try(ephemeral.convo_agent.returns.exposure.access.share.token, null) == null
    error_message = "The agent has a share token."
  }
}
