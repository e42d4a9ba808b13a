data "convo_workspace_audit" "this" {
  workspace_id = "larkspur"

  lifecycle {
    # Accepts problems of other kinds. To be strict, use length(self.problems) == 0.
    postcondition {
      condition = alltrue([
        for problem in self.problems :
        !contains(["read_failed", "not_read", "incomplete_list"], problem.kind)
      ])
      error_message = "The audit is incomplete. ${join(" ", distinct(compact(self.problems[*].message)))}"
    }
    postcondition {
      condition     = length(self.agents) > 0
      error_message = "The service listed no agents."
    }
    postcondition {
      condition     = coalesce(self.summary.foreign_agents, 0) == 0
      error_message = "Agents belong to another workspace."
    }
    postcondition {
      condition     = self.summary.foreign_agents != null
      error_message = "The agents' workspace is unknown."
    }
  }
}
