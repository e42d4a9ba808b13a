terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

ephemeral "convo_agent" "returns" {
  agent_id = "agt_returns"
}

check "shared" {
  assert {
    condition     = ephemeral.convo_agent.returns.exposure.access.share.token == null
    error_message = "The agent can be shared by link."
  }
}
