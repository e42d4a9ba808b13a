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

  lifecycle {
    # workspace_id does not select the agents.
    postcondition {
      condition = length(self.agents) > 0 && self.summary.foreign_agents == 0
      error_message = join(" ", [
        "The service listed no agents of workspace ${var.workspace_id},",
        "or agents of another or an unknown workspace.",
      ])
    }
  }
}

output "summary" {
  description = "Totals for the workspace."
  value       = data.convo_workspace_audit.this.summary
}
