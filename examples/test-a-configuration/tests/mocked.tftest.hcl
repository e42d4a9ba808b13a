# The mock replaces the provider, so no requests are sent. All values that are not
# set here are empty, zero, false, or random strings.

mock_provider "convo" {
  mock_data "convo_workspace_audit" {
    defaults = {
      emails_by_role = { ADMIN = ["ada@example.com", "eve@example.com"] }
      is_complete    = true
    }
  }
}

variables {
  workspace_id = "any"
}

run "unexpected_admin" {
  command = plan

  variables {
    allowed_admins = ["ada@example.com"]
  }

  expect_failures = [output.admins]
}

run "expected_admins" {
  variables {
    allowed_admins = ["ada@example.com", "eve@example.com"]
  }

  assert {
    condition     = length(output.admins) == 2
    error_message = "Both members should be listed."
  }
}
