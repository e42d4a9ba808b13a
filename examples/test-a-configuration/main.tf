# Checks a workspace with rules, which the files in tests/ test.

terraform {
  # The tests mock values, which requires Terraform 1.7 or OpenTofu 1.8.6.
  required_version = ">= 1.7"
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

variable "allowed_admins" {
  description = "Email addresses of the members who may have the ADMIN role."
  type        = set(string)
}

module "read" {
  source       = "./read"
  workspace_id = var.workspace_id
}

locals {
  audit  = module.read.audit
  admins = lookup(local.audit.emails_by_role, "ADMIN", [])

  unexpected_admins = setsubtract(local.admins, var.allowed_admins)
}

output "admins" {
  description = "Email addresses of the members who have the ADMIN role."
  value       = local.admins

  precondition {
    condition     = length(local.unexpected_admins) == 0
    error_message = "Unexpected ADMIN: ${join(", ", local.unexpected_admins)}."
  }
}

output "seldom_completed" {
  description = "IDs of published agents that complete fewer than half of their sessions."
  value = [
    for id, agent in local.audit.agents : id
    if agent.is_published == true
    && coalesce(agent.stats["last30Days"].completion_percent, 100) < 50
  ]

  # Fail instead of omitting agents that could not be read.
  precondition {
    condition     = local.audit.is_complete
    error_message = "The audit is incomplete."
  }
}

check "payments" {
  assert {
    condition     = local.audit.workspace.is_past_due != true
    error_message = "A payment of ${local.audit.workspace.name} is past due."
  }
}
