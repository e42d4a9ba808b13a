action "convo_update_session_agent" "workshop" {
  config {
    session_id = "ses_workshop_open"
    agent_id   = "agt_workshop"
  }
}

# Invoke the action when the resource is created, and when its input changes.
resource "terraform_data" "release" {
  input = "2026-03-18"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.convo_update_session_agent.workshop]
    }
  }
}
