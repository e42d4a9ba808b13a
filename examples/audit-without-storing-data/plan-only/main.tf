# Prints names and email addresses in errors. To store none of them, run only "terraform plan"
# without -out.

terraform {
  required_version = ">= 1.8"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "allowed_admins" {
  description = "Email addresses of the members who may have the ADMIN role."
  type        = set(string)
  default     = ["adaeze@larkspur-bicycles.example"]
}

data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  audit = data.convo_workspace_audit.this
  report = provider::convo::audit_report(jsonencode(local.audit), null, [
    for email in setsubtract(lookup(local.audit.emails_by_role, "ADMIN", []), var.allowed_admins) :
    { level = "error", rule = "allowed_admins", id = email, message = "The ADMIN role is unexpected." }
  ])
}

output "passed" {
  value = true
  precondition {
    condition     = length(local.report.errors) == 0
    error_message = join("\n\n", local.report.errors)
  }
}
