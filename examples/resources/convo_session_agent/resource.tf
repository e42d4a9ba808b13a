terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

resource "convo_session_agent" "example" {
  session_id = "ses_workshop_open"
  agent_id   = "agt_workshop"
}
