# What has to hold in a workspace. A postcondition stops the run; a check warns
# and lets it go on.

terraform {
  required_version = ">= 1.5"
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }

  # Add the backend of your team here: a run compares its outputs with those in
  # the state of the run before.
}

# The address and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

data "convo_workspace" "this" {
  workspace_id = var.workspace
}

data "convo_members" "this" {
  workspace_id = var.workspace

  lifecycle {
    postcondition {
      condition     = alltrue([for m in self.members : contains(var.allowed_admins, m.user.email) if m.role == "ADMIN"])
      error_message = "Not everyone who is ADMIN is in allowed_admins: ${join(", ", [for m in self.members : m.user.email if m.role == "ADMIN"])}."
    }
  }
}

# The agents of the workspace that the token belongs to.
data "convo_agents" "all" {}

locals {
  published = toset([for agent in data.convo_agents.all.agents : agent.id if agent.is_published == true])
}

# Labels are in the full definition only.
data "convo_agent" "published" {
  for_each = local.published
  agent_id = each.key
}

data "convo_agent_stats" "published" {
  for_each = local.published
  agent_id = each.key
  period   = "last30Days"
}
