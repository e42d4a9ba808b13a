# Audits one workspace, and records the audit. The caller passes the provider configuration.

terraform {
  required_version = ">= 1.11"
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

variable "allowed_admins" {
  description = "Email addresses of the members who may have the ADMIN role."
  type        = set(string)
}

variable "accepted" {
  description = "Accepted findings by key, with the reasons. The report shows the keys."
  type        = map(string)
  default     = {}
}

data "convo_workspace_audit" "this" {
  workspace_id           = var.workspace_id
  agent_query            = var.agent_query
  include_graph_findings = true
}

resource "convo_audit_record" "this" {
  audit    = jsonencode(data.convo_workspace_audit.this)
  accepted = var.accepted
  lifecycle { prevent_destroy = true }
}

locals {
  audit = data.convo_workspace_audit.this
  policies = [
    for email in setsubtract(lookup(local.audit.emails_by_role, "ADMIN", []), var.allowed_admins) :
    { level = "error", rule = "allowed_admins", id = email, message = "The ADMIN role is unexpected." }
  ]
  report = provider::convo::audit_report(jsonencode(local.audit), convo_audit_record.this, local.policies)
}

output "report" {
  value     = local.report.markdown
  sensitive = true # It contains names and email addresses.
}

output "passed" {
  value = nonsensitive(length(local.report.errors) == 0)
  precondition {
    condition     = length(local.report.errors) == 0
    error_message = "Workspace ${var.workspace_id}:\n${nonsensitive(join("\n\n", local.report.errors))}"
  }
}

check "warnings" {
  assert {
    condition     = length(local.report.warnings) == 0
    error_message = "Workspace ${var.workspace_id}:\n${nonsensitive(join("\n\n", local.report.warnings))}"
  }
}
