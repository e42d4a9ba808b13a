mock_provider "convo" {
  mock_data "convo_workspace" {
    defaults = {
      name         = "Example"
      chat_usage   = 12.5
      is_suspended = true
      slug         = null
    }
  }
}

run "single_values" {
  assert {
    condition     = data.convo_workspace.this.chat_usage == 12.5 && data.convo_workspace.this.slug == null
    error_message = "The mock ignores the value."
  }
}
