data "convo_agent" "workshop" {
  agent_id = "agt_workshop"
}

resource "convo_session_agent" "example" {
  session_id = "ses_workshop_open"

  triggers = {
    revision = try(data.convo_agent.workshop.ref.revision, null)
  }
}
