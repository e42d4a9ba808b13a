action "convo_update_session_agent" "workshop" {
  config {
    session_id = "ses_workshop_open"
    agent_id   = "agt_workshop"
  }
}
