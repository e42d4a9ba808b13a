ephemeral "convo_workspace" "this" {
  workspace_id = "larkspur"
}

# Prints a warning if the workspace has a past-due payment.
check "payments" {
  assert {
    condition     = ephemeral.convo_workspace.this.is_past_due != true
    error_message = "The workspace has a past-due payment."
  }
}
