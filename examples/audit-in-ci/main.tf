terraform {
  required_version = ">= 1.11"
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
  # backend "s3" {
  #   bucket       = "example-audits"
  #   key          = "larkspur.tfstate"
  #   region       = "eu-central-1"
  #   use_lockfile = true
  # }
}

provider "convo" {} # reads CONVO_BASE_URL and CONVO_TOKEN

variable "accepted" {
  description = "Accepted findings by key, with the reasons."
  type        = map(string)
  default     = {}
}

data "convo_workspace_audit" "this" {
  workspace_id           = "ws_larkspur01"
  include_graph_findings = true
}

# Records the audit, unless the plan fails.
resource "convo_audit_record" "this" {
  audit    = local.json
  accepted = var.accepted
  lifecycle { prevent_destroy = true }
}

locals {
  audit = data.convo_workspace_audit.this
  json  = jsonencode(local.audit)
  # Findings of your policies.
  policies = concat(
    [
      for email in setsubtract(
        lookup(local.audit.emails_by_role, "ADMIN", []),
        ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]
      ) :
      { level = "error", rule = "allowed_admins", id = email, message = "The ADMIN role is unexpected." }
    ],
    # Add your own here.
  )
  report = provider::convo::audit_report(local.json, convo_audit_record.this, local.policies)
}

output "report" {
  value     = local.report.markdown
  sensitive = true # It contains names and email addresses.
}

# Fails the plan if there are errors.
output "passed" {
  value = nonsensitive(length(local.report.errors) == 0)
  precondition {
    condition     = length(local.report.errors) == 0
    error_message = nonsensitive(join("\n\n", local.report.errors))
  }
}

# Prints warnings.
check "warnings" {
  assert {
    condition     = length(local.report.warnings) == 0
    error_message = nonsensitive(join("\n\n", local.report.warnings))
  }
}
