# The audit of one workspace. The caller selects the provider configuration.

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

data "convo_workspace_audit" "this" {
  workspace_id = var.workspace_id

  lifecycle {
    # The API lists the agents of the token's workspace, not those of workspace_id.
    postcondition {
      condition     = self.summary.foreign_agents == 0
      error_message = "The token belongs to another workspace than ${self.workspace.name}."
    }
  }
}

output "summary" {
  description = "Totals of the workspace."
  value       = data.convo_workspace_audit.this.summary
}
