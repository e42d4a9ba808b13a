data "convo_agent" "workshop" {
  agent_id = "agt_workshop"
}

resource "convo_session_agent" "example" {
  session_id = "ses_workshop_open"
  agent_id   = data.convo_agent.workshop.agent_id

  triggers = {
    revision = data.convo_agent.workshop.ref.revision
  }
}
