action "convo_update_session_agent" "workshop" {
  config {
    session_id = "ses_workshop_open"
    agent_id   = "agt_workshop"
  }
}

# Invoke the action in each apply that changes the input.
resource "terraform_data" "release" {
  input = "2026-03-18"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.convo_update_session_agent.workshop]
    }
  }
}
