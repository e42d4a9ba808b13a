# Reports a workspace's administrators, its published and locked agents, and the
# statistics of one agent. Moves a chat session to that agent.

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

variable "workspace" {
  description = "ID or slug of the workspace to audit."
  type        = string
  default     = "ws_larkspur01"
}

variable "agent_query" {
  description = "Query parameters that select the workspace's agents, if the service requires them."
  type        = map(string)
  default     = null
}

variable "agent_id" {
  description = "ID of the agent whose performance is reported and to which the session moves."
  type        = string
  default     = "agt_workshop"
}

variable "session_id" {
  description = "ID of the active chat session that moves to the agent."
  type        = string
  default     = "ses_returns_open"
}

data "convo_workspace" "this" {
  workspace_id = var.workspace
}

data "convo_members" "this" {
  workspace_id = var.workspace
}

data "convo_agents" "all" {
  query = var.agent_query
}

# Only the full definition contains whether an agent is locked.
data "convo_agent" "each" {
  for_each = toset(data.convo_agents.all.agents[*].id)
  agent_id = each.key
}

data "convo_agent_stats" "each" {
  for_each = toset(["last7Days", "lastMonth", "allTime"])
  agent_id = var.agent_id
  period   = each.key
}

# If the agent changes, a trigger changes, so Terraform sends the update again.
resource "convo_session_agent" "moved" {
  session_id = var.session_id
  agent_id   = var.agent_id

  triggers = {
    revision = try(data.convo_agent.each[var.agent_id].ref.revision, null)
    updated  = try(data.convo_agent.each[var.agent_id].timestamps.updated, null)
  }
}

# A failed check prints a warning. A failed postcondition would stop the run.
check "payments" {
  assert {
    condition     = data.convo_workspace.this.is_past_due != true
    error_message = "A payment of ${data.convo_workspace.this.name} is past due."
  }
}

check "admins" {
  assert {
    condition     = length(local.admins) <= 3
    error_message = "More than three members have the role ADMIN: ${join(", ", local.admins)}."
  }
}

locals {
  admins = lookup(data.convo_members.this.emails_by_role, "ADMIN", [])
}
