# What an auditor of a workspace asks, in one configuration: who may change it,
# which agents are out in the world, and how one of them performs. It also moves
# a chat session to that agent.

terraform {
  required_version = ">= 1.5"
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}

# The address and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "workspace" {
  description = "Id or slug of the workspace to audit."
  type        = string
  default     = "larkspur"
}

variable "agent_id" {
  description = "Agent whose performance is reported, and that the session moves to."
  type        = string
  default     = "agt_workshop"
}

variable "session_id" {
  description = "Active chat session that moves to the agent."
  type        = string
  default     = "ses_returns_open"
}

data "convo_workspace" "this" {
  workspace_id = var.workspace
}

data "convo_members" "this" {
  workspace_id = var.workspace
}

data "convo_agents" "all" {}

# The full definition of every agent: only it tells which ones are locked.
data "convo_agent" "each" {
  for_each = toset(data.convo_agents.all.agents[*].id)
  agent_id = each.key
}

data "convo_agent_stats" "each" {
  for_each = toset(["last7Days", "last30Days", "allTime"])
  agent_id = var.agent_id
  period   = each.key
}

# The session gets the agent's newest revision: a new one sends the update again.
resource "convo_session_agent" "moved" {
  session_id = var.session_id
  agent_id   = var.agent_id

  triggers = {
    revision = data.convo_agent.each[var.agent_id].ref.revision
  }
}

# A check warns and lets the run go on; a postcondition would stop it.
check "payments" {
  assert {
    condition     = !data.convo_workspace.this.is_past_due
    error_message = "A payment of ${data.convo_workspace.this.name} is past due."
  }
}

check "admins" {
  assert {
    condition     = length(local.admins) <= 3
    error_message = "More than three people are ADMIN: ${join(", ", local.admins)}."
  }
}

locals {
  admins = [for member in data.convo_members.this.members : member.user.email if member.role == "ADMIN"]
}
