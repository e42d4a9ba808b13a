# Contains all reads in a separate module, so that a test can override its outputs.

terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

variable "workspace_id" {
  description = "ID or slug of the workspace."
  type        = string
}

data "convo_workspace_audit" "this" {
  workspace_id  = var.workspace_id
  stats_periods = ["last30Days"]
}

output "audit" {
  description = "All attributes of the audit."
  value       = data.convo_workspace_audit.this
}
