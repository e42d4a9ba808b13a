action "convo_update_session_agent" "workshop" {
  config {
    session_id = "ses_workshop_open"
    agent_id   = "agt_workshop"
  }
}

# Creating or changing the resource invokes the action.
resource "terraform_data" "release" {
  input = "2026-03-18" # Change it after each publication.

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.convo_update_session_agent.workshop]
    }
  }
}
