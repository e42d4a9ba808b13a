terraform {
  required_version = ">= 1.10"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

ephemeral "convo_workspace" "this" {
  workspace_id = "any"
}

check "plan" {
  assert {
    condition     = ephemeral.convo_workspace.this.plan != ""
    error_message = "The workspace has no plan."
  }
}
