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

data "convo_workspace_audit" "this" {
  workspace_id = var.workspace_id

  lifecycle {
    # The API lists the agents of the workspace that the token belongs to, which can
    # differ from workspace_id.
    postcondition {
      condition     = self.summary.foreign_agents == 0
      error_message = "The token belongs to a workspace other than ${self.workspace.name}."
    }
  }
}

output "summary" {
  description = "Totals for the workspace."
  value       = data.convo_workspace_audit.this.summary
}
