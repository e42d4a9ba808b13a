data "convo_workspace" "this" {
  workspace_id = "ws_larkspur01"
}

output "status" {
  value = {
    plan        = data.convo_workspace.this.plan
    is_past_due = data.convo_workspace.this.is_past_due
  }
}
