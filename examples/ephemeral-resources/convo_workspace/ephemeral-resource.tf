ephemeral "convo_workspace" "this" {
  workspace_id = "ws_larkspur01"
}

# Prints a warning if the workspace has a past-due payment, or if the value is missing.
check "payments" {
  assert {
    condition     = ephemeral.convo_workspace.this.is_past_due == false
    error_message = "The workspace has a past-due payment, or the value is missing."
  }
}
