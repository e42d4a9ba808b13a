import {
  to = convo_session_agent.example
  identity = {
    session_id = "ses_workshop_open"
  }
}
