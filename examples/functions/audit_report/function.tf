data "convo_workspace_audit" "this" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
}

locals {
  report = provider::convo::audit_report(
    jsonencode(data.convo_workspace_audit.this),
    [], # Findings of your rules
    fileexists("record.json") ? file("record.json") : null,
  )
}

output "report" {
  value = local.report.markdown
}

output "record" {
  value = local.report.record
}
