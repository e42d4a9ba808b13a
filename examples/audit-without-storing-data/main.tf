# Audits a workspace without storing personal data in the state or in a plan file.

terraform {
  required_version = ">= 1.10"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "workspace_id" {
  description = "ID or slug of the workspace to audit."
  type        = string
  default     = "ws_larkspur01"
}

variable "agent_query" {
  description = "Query parameters that select the workspace's agents, if the service requires them."
  type        = map(string)
  default     = null
}

variable "allowed_admins" {
  description = "Email addresses of the members who may have the ADMIN role."
  type        = set(string)
  ephemeral   = true
}

ephemeral "convo_workspace_audit" "this" {
  workspace_id = var.workspace_id
  agent_query  = var.agent_query
}

locals {
  audit = ephemeral.convo_workspace_audit.this
  report = provider::convo::audit_report(jsonencode(local.audit), null, [
    for email in setsubtract(lookup(local.audit.emails_by_role, "ADMIN", []), var.allowed_admins) :
    { level = "error", rule = "allowed_admins", id = email, message = "The ADMIN role is unexpected." }
  ])
  errors   = toset([for finding in local.report.findings : finding.rule if finding.level == "error"])
  warnings = toset([for finding in local.report.findings : finding.rule if finding.level == "warning"])
}

# A failed precondition makes the plan fail.
output "passed" {
  value = true
  precondition {
    condition     = !contains(local.errors, "allowed_admins")
    error_message = "A member unexpectedly has the ADMIN role."
  }
  precondition {
    condition     = length(setintersection(local.errors, ["read_failed", "not_read", "incomplete_list"])) == 0
    error_message = "The audit is incomplete."
  }
  precondition {
    condition     = length(setintersection(local.errors, ["no_agents", "no_admins", "foreign_agents"])) == 0
    error_message = "Agents or administrators are missing, or an agent belongs to another workspace."
  }
  precondition {
    condition     = length(setintersection(local.errors, ["workspace_suspended", "workspace_quarantined"])) == 0
    error_message = "The workspace is suspended or quarantined, or the value is missing."
  }
  precondition { # Also for rules that a later version of the provider adds.
    condition     = length(local.errors) == 0
    error_message = "The audit has errors."
  }
}

# A failed check only prints a warning.
check "payments" {
  assert {
    condition     = !contains(local.warnings, "workspace_past_due")
    error_message = "A payment is past due, or the value is missing."
  }
}
