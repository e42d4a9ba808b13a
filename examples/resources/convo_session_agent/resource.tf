data "convo_agent" "workshop" {
  agent_id = "agt_workshop"
}

# Moves the session to the agent, and again to each new revision of it.
resource "convo_session_agent" "example" {
  session_id = "ses_workshop_open"
  agent_id   = data.convo_agent.workshop.agent_id

  triggers = {
    revision = data.convo_agent.workshop.ref.revision
  }
}
