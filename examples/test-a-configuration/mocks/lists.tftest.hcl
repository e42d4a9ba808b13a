mock_provider "convo" {
  mock_data "convo_workspace_audit" {
    defaults = {
      emails_by_role = { ADMIN = ["ada@example.com"] }
    }
  }
}

run "lists" {
  assert {
    condition     = data.convo_workspace_audit.this.emails_by_role["ADMIN"] == tolist(["ada@example.com"])
    error_message = "The mock ignores the value."
  }
}
