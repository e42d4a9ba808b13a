terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

data "convo_workspace_audit" "this" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
}

locals {
  previous = fileexists("record.json") ? file("record.json") : null
  report   = provider::convo::audit_report(jsonencode(data.convo_workspace_audit.this), [], local.previous)
}

output "report" {
  value = local.report.markdown
}

output "record" {
  value = local.report.record
}
