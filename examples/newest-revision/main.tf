# Brings chat sessions up to the newest revision of the agent that they run.

terraform {
  required_version = ">= 1.5"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "agent_id" {
  description = "ID of the agent whose revision is watched."
  type        = string
  default     = "agt_returns"
}

variable "session_ids" {
  description = "IDs of the active chat sessions that run the agent."
  type        = set(string)
  default     = ["ses_returns_open"]
}

data "convo_agent" "watched" {
  agent_id = var.agent_id
}

# Without agent_id the session keeps its agent and gets that agent's newest
# revision. A new revision changes the trigger, and this sends the update again.
resource "convo_session_agent" "current" {
  for_each   = var.session_ids
  session_id = each.key

  triggers = {
    revision = data.convo_agent.watched.ref.revision
  }
}

output "revision" {
  description = "Revision that the sessions were last brought up to."
  value       = data.convo_agent.watched.ref.revision
}
