data "convo_agent" "trade" {
  agent_id = "agt_trade"

  lifecycle {
    postcondition {
      condition     = try(self.exposure.state.locked, null) == false
      error_message = "Agent ${self.agent_id} is locked, or the value is missing."
    }
  }
}
