data "convo_workspace" "this" {
  workspace_id = "larkspur"

  lifecycle {
    postcondition {
      condition     = !self.is_past_due
      error_message = "Workspace ${self.name} has a past-due payment."
    }
  }
}
