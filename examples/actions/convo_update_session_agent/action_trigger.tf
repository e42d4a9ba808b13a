data "convo_agent" "returns" {
  agent_id = "agt_returns"
}

# Invokes the action on the first apply and whenever the agent's revision changes.
resource "terraform_data" "revision" {
  input = data.convo_agent.returns.ref.revision

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.convo_update_session_agent.returns]
    }
  }
}

action "convo_update_session_agent" "returns" {
  config {
    # Without agent_id, the session is assumed to switch to the newest revision of its agent.
    session_id = "ses_returns_open"
  }
}
