data "convo_agent" "trade" {
  agent_id = "agt_trade"

  lifecycle {
    postcondition {
      condition     = try(self.exposure.state.locked, null) != true
      error_message = "The agent ${self.agent_id} is locked."
    }
  }
}
