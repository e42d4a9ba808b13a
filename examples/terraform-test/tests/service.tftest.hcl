# The provider itself, against the reference service or another one: the address
# and the token come from CONVO_BASE_URL and CONVO_TOKEN.

provider "convo" {}

variables {
  workspace = "larkspur"
  agent_id  = "agt_workshop"
}

run "reference_service" {
  expect_failures = [check.payments]

  assert {
    condition     = output.completed_percent == 89
    error_message = "The workshop agent should have completed 201 of 224 sessions."
  }
}

run "another_workspace" {
  variables {
    workspace = "ws_tidepool02"
  }

  assert {
    condition     = data.convo_workspace.this.slug == null
    error_message = "This workspace should have no slug."
  }
}
