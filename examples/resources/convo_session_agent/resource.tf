data "convo_agent" "workshop" {
  agent_id = "agt_workshop"
}

resource "convo_session_agent" "example" {
  session_id = "ses_workshop_open"

  triggers = {
    # Use the trigger that changes when you publish the agent.
    revision = try(data.convo_agent.workshop.ref.revision, null)
    # published = try(data.convo_agent.workshop.exposure.schedule.published_at, null)
    # updated   = try(data.convo_agent.workshop.timestamps.updated, null)
  }
}
