terraform {
  required_version = ">= 1.14" # Terraform 1.13 silently ignores actions.
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
}

action "convo_update_session_agent" "workshop" {
  config {
    session_id = "ses_workshop_open"
    agent_id   = "agt_workshop"
  }
}
