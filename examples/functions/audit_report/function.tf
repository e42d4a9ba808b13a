data "convo_workspace_audit" "this" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
}

locals {
  json   = jsonencode(data.convo_workspace_audit.this)
  record = provider::convo::audit_record(local.json, fileexists("record.json") ? file("record.json") : null)
  report = provider::convo::audit_report(
    local.json,
    [], # Findings of your rules
    local.record.changes,
  )
}

output "report" {
  value = local.report.markdown
}

output "record" {
  value = local.record.record
}
