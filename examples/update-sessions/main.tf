# Updates active chat sessions to the newest revision of their agent.

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
  description = "ID of the agent whose changes trigger updates."
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

# Because agent_id is not set, each session is updated to the newest revision of its own agent.
# When a trigger changes, Terraform sends the update again.
resource "convo_session_agent" "current" {
  for_each   = var.session_ids
  session_id = each.key

  # Keep only the trigger that changes when you publish the agent.
  triggers = {
    published = try(data.convo_agent.watched.exposure.schedule.published_at, null)
    revision  = try(data.convo_agent.watched.ref.revision, null)
    updated   = try(data.convo_agent.watched.timestamps.updated, null)
  }
}

output "published" {
  description = "Time of the agent's publication, as of the last apply."
  value       = try(data.convo_agent.watched.exposure.schedule.published_at, null)
}
