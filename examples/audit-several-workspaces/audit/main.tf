# Audits one workspace. The caller passes the provider configuration.

terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

variable "workspace_id" {
  description = "ID or slug of the workspace to audit."
  type        = string
}

variable "agent_query" {
  description = "Query parameters that select the workspace's agents, if the service requires them."
  type        = map(string)
  default     = null
}

data "convo_workspace_audit" "this" {
  workspace_id = var.workspace_id
  agent_query  = var.agent_query
}

locals {
  audit    = data.convo_workspace_audit.this
  problems = [for problem in local.audit.problems : "${problem.operation}: ${coalesce(problem.message, "failed")}"]
  # workspace_id does not select the agents.
  reasons = concat(
    local.audit.is_complete ? [] : distinct(local.problems),
    length(local.audit.agents) == 0 ? ["The service listed no agents."] : [],
    local.audit.summary.foreign_agents == 0 ? [] : ["Agents belong to another workspace, or this is unknown for all agents."],
  )
}

# A postcondition would also discard the results for the other workspaces.
check "complete" {
  assert {
    condition     = length(local.reasons) == 0
    error_message = "Workspace ${var.workspace_id}: ${join(" ", local.reasons)}"
  }
}

output "result" {
  description = "Number of agents, and reasons why the audit is incomplete or of the wrong agents."
  value = {
    agents  = local.audit.summary.agents
    reasons = local.reasons
  }
}
