data "convo_agent" "returns" {
  agent_id = "agt_returns"
}

resource "convo_session_agent" "example" {
  session_id = "ses_returns_open"
  agent_id   = "agt_returns"

  triggers = {
    revision = try(data.convo_agent.returns.ref.revision, null)
  }
}
