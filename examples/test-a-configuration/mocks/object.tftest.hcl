mock_provider "convo" {
  mock_data "convo_agent" {
    defaults = {
      ref = { key = "agt_1", revision = "7", public_key = null }
    }
  }
}

run "object" {
  assert {
    condition     = data.convo_agent.this.ref.revision == "7"
    error_message = "The mock ignores the value."
  }
}
