terraform {
  required_version = ">= 1.14"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

provider "convo" {}

action "convo_update_session_agent" "workshop" {
  config {
    session_id = "ses_workshop_open"
  }
}
