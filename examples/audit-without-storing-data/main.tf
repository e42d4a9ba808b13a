# Audits a workspace without storing personal data in the state or in a plan file.

terraform {
  required_version = ">= 1.10"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "workspace_id" {
  description = "ID or slug of the workspace to audit."
  type        = string
  default     = "larkspur"
}

variable "agent_query" {
  description = "Query parameters that select the workspace's agents, if the service requires them."
  type        = map(string)
  default     = null
}

variable "allowed_admins" {
  description = "Email addresses of the members who may have the ADMIN role."
  type        = set(string)
  ephemeral   = true
}

ephemeral "convo_workspace_audit" "this" {
  workspace_id  = var.workspace_id
  agent_query   = var.agent_query
  stats_periods = ["last30Days"]

  # A failed postcondition stops the run.
  lifecycle {
    postcondition {
      condition = length(setsubtract(
        lookup(self.emails_by_role, "ADMIN", []), var.allowed_admins
      )) == 0
      error_message = "A member unexpectedly has the ADMIN role."
    }
    postcondition {
      condition     = self.is_complete && length(self.agents) > 0
      error_message = "The audit is incomplete."
    }
  }
}

# A failed check only prints a warning.
check "payments" {
  assert {
    condition     = ephemeral.convo_workspace_audit.this.workspace.is_past_due != true
    error_message = "A payment is past due."
  }
}

check "completion" {
  assert {
    condition = alltrue([
      for agent in ephemeral.convo_workspace_audit.this.agents :
      coalesce(agent.stats["last30Days"].completion_percent, 100) >= 50
      if agent.is_published == true
    ])
    error_message = "A published agent completes fewer than half of its sessions."
  }
}
