variable "accepted" {
  description = "Accepted findings by key, with the reasons."
  type        = map(string)
  default     = {}
}

data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

resource "convo_audit_record" "this" {
  audit    = jsonencode(data.convo_workspace_audit.this)
  accepted = var.accepted
}

locals {
  report = provider::convo::audit_report(
    jsonencode(data.convo_workspace_audit.this),
    convo_audit_record.this,
    [], # Findings of your own policies
  )
}

output "report" {
  value     = local.report.markdown
  sensitive = true
}

output "passed" {
  value = nonsensitive(length(local.report.errors) == 0)

  precondition {
    condition     = length(local.report.errors) == 0
    error_message = nonsensitive(join("\n\n", local.report.errors))
  }
}
