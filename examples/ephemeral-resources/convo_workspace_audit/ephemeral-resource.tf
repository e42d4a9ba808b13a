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
      error_message = "The audit is incomplete, or agents belong to another workspace."
    }
  }
}

check "locked" {
  assert {
    condition     = ephemeral.convo_workspace_audit.this.summary.locked == 0
    error_message = "Agents are locked."
  }
}
