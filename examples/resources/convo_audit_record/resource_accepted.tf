data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

resource "convo_audit_record" "this" {
  audit = jsonencode(data.convo_workspace_audit.this)

  accepted = {
    "access_changed/agt_returns/5xmclwobh6scc4557jd5mrlj" = "Moved to a new domain in May."
    "foreign_agents/agt_scratch"                          = "The service does not return this draft's workspace."
  }

  lifecycle {
    prevent_destroy = true
  }
}
