data "convo_workspace_audit" "this" {
  workspace_id = "larkspur"
}

resource "convo_audit_record" "this" {
  audit = jsonencode(data.convo_workspace_audit.this)

  accepted = {
    "access_changed/agt_returns/edd825d9c13fa42173bdfa47d64569e4" = "Moved to a new domain in May."
    "foreign_agents/agt_scratch"                                  = "The service does not return this draft's workspace."
  }
}
