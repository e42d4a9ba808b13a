provider "convo" {
  alias    = "sessions"
  base_url = "https://sessions.example/api"
}

resource "convo_session_agent" "example" {
  provider   = convo.sessions
  session_id = "ses_workshop_open"
  agent_id   = "agt_workshop"
}
