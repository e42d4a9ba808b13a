# Checks a workspace against rules, keeps a record of it, and writes a report.

terraform {
  required_version = ">= 1.8"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }

  # Add your backend here. The state keeps the record for the next run to compare with.
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

data "convo_workspace_audit" "this" {
  workspace_id           = var.workspace
  agent_query            = var.agent_query
  stats_periods          = ["last30Days"]
  include_graph_findings = true
}

locals {
  audit = data.convo_workspace_audit.this
  json  = jsonencode(local.audit)
  # audit.sh writes this file, which contains no record before the first apply.
  previous = try(jsondecode(file("${path.module}/previous.json")).record.value, null)
  record   = provider::convo::audit_record(local.json, local.previous)
  report   = provider::convo::audit_report(local.json, local.findings, local.record.changes)
}

# The outputs are marked as sensitive only to keep names and email addresses out of the log.
output "record" {
  description = "Record for the next run to compare with, stored only if there are no errors."
  sensitive   = true
  value       = local.record.record

  precondition {
    condition     = length(local.report.errors) == 0
    error_message = join("\n", local.report.errors)
  }
}

output "report" {
  description = "Report in Markdown."
  sensitive   = true
  value       = local.report.markdown
}

check "warnings" {
  assert {
    condition     = length(local.report.warnings) == 0
    error_message = join("\n", local.report.warnings)
  }
}
