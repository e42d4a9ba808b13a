mock_provider "convo" {
  mock_data "convo_members" {
    defaults = {
      members = [
        { workspace_id = "any", role = "ADMIN", user = { name = "Ada", email = "ada@example.com", image = null } },
      ]
    }
  }
}

run "list_of_objects" {
  assert {
    condition     = data.convo_members.this.members[0].role == "ADMIN"
    error_message = "The mock ignores the value."
  }
}
