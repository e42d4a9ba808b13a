mock_provider "convo" {
  mock_data "convo_agent" {
    defaults = {
      ref = { revision = "7" }
    }
  }
}

run "part_of_an_object" {
  assert {
    condition     = data.convo_agent.this.ref.revision == "7"
    error_message = "The mock ignores the value."
  }
}
