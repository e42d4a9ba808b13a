data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"

  lifecycle {
    postcondition {
      condition     = self.is_complete
      error_message = "The audit is incomplete. ${join(" ", distinct(compact(self.problems[*].message)))}"
    }
    postcondition {
      condition     = length(self.agents) > 0
      error_message = "The service listed no agents."
    }
    postcondition {
      condition     = self.summary.foreign_agents == 0 # Null if no agent states its workspace.
      error_message = "Agents belong to another workspace, or no agent states its workspace."
    }
  }
}
