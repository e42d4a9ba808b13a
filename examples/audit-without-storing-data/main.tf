terraform {
  required_version = ">= 1.10" # OpenTofu: 1.11
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
}

provider "convo" {} # reads CONVO_BASE_URL and CONVO_TOKEN

variable "allowed_admins" {
  description = "Email addresses of the members who may have the ADMIN role."
  type        = set(string)
  ephemeral   = true # Plan files do not contain the value.
}

ephemeral "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  audit = ephemeral.convo_workspace_audit.this
  report = provider::convo::audit_report(jsonencode(local.audit), null, [
    for email in setsubtract(lookup(local.audit.emails_by_role, "ADMIN", []), var.allowed_admins) :
    { level = "error", rule = "allowed_admins", id = email, message = "The ADMIN role is unexpected." }
  ])
  errors = toset([for finding in local.report.findings : finding.rule if finding.level == "error"])
}

output "passed" {
  value = true
  precondition {
    condition     = !contains(local.errors, "allowed_admins")
    error_message = "A member unexpectedly has the ADMIN role."
  }
  precondition {
    condition     = length(local.errors) == 0
    error_message = "The audit has errors."
  }
}
