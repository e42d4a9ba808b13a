# terraform apply -invoke=action.convo_update_session_agent.kiosk
action "convo_update_session_agent" "kiosk" {
  config {
    session_id = "ses_workshop_open"
    agent_id   = "agt_workshop"
  }
}
