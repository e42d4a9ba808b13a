data "convo_workspace_audit" "this" {
  workspace_id = "larkspur"

  lifecycle {
    postcondition {
      condition     = self.summary.problems == 0 && self.summary.foreign_agents == 0
      error_message = "The audit is incomplete, or some agents belong to another workspace."
    }
    postcondition {
      condition     = !self.workspace.is_past_due
      error_message = "Workspace ${self.workspace.name} has a past-due payment."
    }
  }
}
