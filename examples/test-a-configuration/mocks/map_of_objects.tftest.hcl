mock_provider "convo" {
  mock_data "convo_workspace_audit" {
    defaults = {
      agents = { agt_1 = { name = "Returns" } }
    }
  }
}

run "map_of_objects" {
  assert {
    condition     = length(data.convo_workspace_audit.this.agents) == 1
    error_message = "The mock ignores the value."
  }
}
