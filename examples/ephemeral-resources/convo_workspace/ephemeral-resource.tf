ephemeral "convo_workspace" "this" {
  workspace_id = "ws_larkspur01"
}

check "payments" {
  assert {
    condition     = ephemeral.convo_workspace.this.is_past_due == false
    error_message = "A payment is past due, or the value is missing."
  }
}
