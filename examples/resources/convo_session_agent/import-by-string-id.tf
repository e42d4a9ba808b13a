import {
  to = convo_session_agent.example
  id = "ses_workshop_open"
}
