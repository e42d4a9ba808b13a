# Updates chat sessions to the newest revision of their agent.

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
  description = "ID of the agent whose revisions trigger updates."
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

# Without agent_id, the session is updated to the newest revision of its agent.
# A new revision changes the trigger, which sends the update again.
resource "convo_session_agent" "current" {
  for_each   = var.session_ids
  session_id = each.key

  triggers = {
    revision = data.convo_agent.watched.ref.revision
  }
}

output "revision" {
  description = "Revision of the last update."
  value       = data.convo_agent.watched.ref.revision
}
