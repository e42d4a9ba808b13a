data "convo_workspace" "this" {
  workspace_id = "larkspur"

  lifecycle {
    postcondition {
      condition     = !self.is_past_due && !self.is_suspended && !self.is_quarantined
      error_message = "Workspace ${self.name} is suspended, is quarantined, or has a past-due payment."
    }
  }
}
