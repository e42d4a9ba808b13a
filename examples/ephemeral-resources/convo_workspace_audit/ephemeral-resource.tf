ephemeral "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"

  lifecycle {
    postcondition {
      condition     = self.is_complete && length(self.agents) > 0
      error_message = "The audit is incomplete, or the service listed no agents."
    }
  }
}

check "admins" {
  assert {
    condition = length(setsubtract(
      lookup(ephemeral.convo_workspace_audit.this.emails_by_role, "ADMIN", []),
      ["adaeze@larkspur-bicycles.example"]
    )) == 0
    error_message = "A member unexpectedly has the ADMIN role."
  }
}
