terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

ephemeral "convo_workspace_audit" "this" {
  workspace_id = "larkspur"

  lifecycle {
    postcondition {
      condition     = self.summary.problems == 0 && self.summary.foreign_agents == 0
      error_message = "The audit is incomplete, or some agents belong to another workspace."
    }
  }
}

check "admins" {
  assert {
    condition = length(setsubtract(
      lookup(ephemeral.convo_workspace_audit.this.emails_by_role, "ADMIN", []),
      ["adaeze@larkspur-bicycles.example"]
    )) == 0
    error_message = "A member who is not an allowed administrator has the ADMIN role."
  }
}
