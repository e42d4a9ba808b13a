data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  report = provider::convo::audit_report(
    jsonencode(data.convo_workspace_audit.this),
    null, # Record of earlier audits
    [],   # Findings of your own policies
  )
}

output "report" {
  value = local.report.markdown
}

output "passed" {
  value = length(local.report.errors) == 0

  precondition {
    condition     = length(local.report.errors) == 0
    error_message = join("\n\n", local.report.errors)
  }
}
