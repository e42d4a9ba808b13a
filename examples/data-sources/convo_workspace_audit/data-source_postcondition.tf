data "convo_workspace_audit" "this" {
  workspace_id = "larkspur"

  lifecycle {
    # Tolerates missing fields and contradictions. To be strict, use length(self.problems) == 0.
    postcondition {
      condition = alltrue([
        for problem in self.problems : contains(["contradiction", "missing_fields"], problem.kind)
      ])
      error_message = "The audit is incomplete."
    }
    postcondition {
      condition     = length(self.agents) > 0 && self.summary.foreign_agents == 0
      error_message = "There are no agents, or they belong to another or an unknown workspace."
    }
  }
}
