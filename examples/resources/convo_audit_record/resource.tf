variable "accepted" {
  type    = map(string)
  default = {}
}

data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

resource "convo_audit_record" "this" {
  audit    = jsonencode(data.convo_workspace_audit.this)
  accepted = var.accepted

  lifecycle {
    prevent_destroy = true
  }
}

output "changes" {
  value = convo_audit_record.this.changes
}
