data "convo_agent" "returns" {
  agent_id = "agt_returns"
}

# Invokes the action on the first apply and whenever one of the values changes.
resource "terraform_data" "agent" {
  triggers_replace = {
    published = try(data.convo_agent.returns.exposure.schedule.published_at, null)
    revision  = try(data.convo_agent.returns.ref.revision, null)
    updated   = try(data.convo_agent.returns.timestamps.updated, null)
  }

  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.convo_update_session_agent.returns]
    }
  }
}

action "convo_update_session_agent" "returns" {
  config {
    session_id = "ses_returns_open"
  }
}
