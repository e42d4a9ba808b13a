data "convo_workspace_audit" "this" {
  workspace_id = "larkspur"
}

resource "convo_audit_record" "this" {
  audit = jsonencode(data.convo_workspace_audit.this)

  lifecycle {
    prevent_destroy = true
  }
}
