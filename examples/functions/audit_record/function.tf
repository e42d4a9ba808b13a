data "convo_workspace_audit" "this" {
  workspace_id = "larkspur"
}

locals {
  record = provider::convo::audit_record(
    jsonencode(data.convo_workspace_audit.this),
    fileexists("record.json") ? file("record.json") : null,
  )
}

output "record" {
  value = local.record.record
}

# Null if there is no earlier record.
output "changes" {
  value = local.record.changes
}
