data "convo_workspace_audit" "this" {
  workspace_id = "larkspur"

  lifecycle {
    postcondition {
      condition     = self.summary.problems == 0 && self.summary.foreign_agents == 0
      error_message = "The audit is incomplete, or some agents belong to another workspace."
    }
  }
}
