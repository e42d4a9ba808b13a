terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

provider "convo" {}

data "convo_agent" "workshop" {
  agent_id = "agt_workshop"
}

# Changing a trigger sends the update again.
resource "convo_session_agent" "example" {
  session_id = "ses_workshop_open"

  triggers = {
    revision = data.convo_agent.workshop.ref.revision
    updated  = data.convo_agent.workshop.timestamps.updated
  }
}
