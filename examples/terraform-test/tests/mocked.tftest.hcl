# Nothing is sent: the mock answers in place of the provider. An attribute that
# is not given here gets a made-up value of its type.

mock_provider "convo" {
  mock_data "convo_workspace" {
    defaults = {
      name        = "Example"
      is_past_due = false
    }
  }

  mock_data "convo_agent_stats" {
    defaults = {
      total_starts    = 3
      total_completed = 2
    }
  }
}

variables {
  workspace = "any"
  agent_id  = "any"
}

run "share_is_rounded_down" {
  assert {
    condition     = output.completed_percent == 66
    error_message = "2 of 3 should be 66 percent."
  }
}

run "no_starts" {
  override_data {
    target = data.convo_agent_stats.this
    values = {
      total_starts    = 0
      total_completed = 0
    }
  }

  assert {
    condition     = output.completed_percent == null
    error_message = "Without starts there is no share."
  }
}

run "past_due_is_noticed" {
  override_data {
    target = data.convo_workspace.this
    values = {
      name        = "Example"
      is_past_due = true
    }
  }

  expect_failures = [check.payments]
}
