import {
  to = convo_session_agent.example
  id = "ses_returns_open"
}
