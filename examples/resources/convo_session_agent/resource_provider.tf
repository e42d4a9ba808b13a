variable "sessions_base_url" {
  description = "Base URL of the API on the host that serves the chat sessions."
  type        = string
  default     = "https://sessions.example/api"
}

provider "convo" {
  alias    = "sessions"
  base_url = var.sessions_base_url
}

resource "convo_session_agent" "example" {
  provider   = convo.sessions
  session_id = "ses_workshop_open"
}
