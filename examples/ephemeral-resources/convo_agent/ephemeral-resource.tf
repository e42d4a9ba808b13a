ephemeral "convo_agent" "returns" {
  agent_id = "agt_returns"
}

# Prints a warning if the agent has a share token.
check "not_shared" {
  assert {
    condition     = try(ephemeral.convo_agent.returns.exposure.access.share.token, null) == null
    error_message = "The agent has a share token."
  }
}
