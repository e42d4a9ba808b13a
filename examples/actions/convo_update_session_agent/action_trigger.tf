data "convo_agent" "returns" {
  agent_id = "agt_returns"
}

# Invokes the action in the first apply, and whenever the trigger changes.
resource "terraform_data" "agent" {
  triggers_replace = {
    revision = try(data.convo_agent.returns.ref.revision, null)
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
    agent_id   = "agt_returns"
  }
}
