ephemeral "convo_workspace_audit" "this" {
  workspace_id = "larkspur"

  lifecycle {
    postcondition {
      condition     = self.summary.problems == 0 && self.summary.foreign_agents == 0
      error_message = "Parts of the workspace could not be read, or agents belong to another workspace."
    }
  }
}

check "locked" {
  assert {
    condition     = ephemeral.convo_workspace_audit.this.summary.locked == 0
    error_message = "Agents are locked."
  }
}
