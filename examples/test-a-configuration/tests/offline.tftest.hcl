# Each run overrides the outputs of module.read, so no requests are sent.

mock_provider "convo" {}

variables {
  workspace_id   = "any"
  allowed_admins = ["ada@example.com"]
}

run "nothing_is_wrong" {
  override_module {
    target = module.read
    outputs = {
      audit = {
        workspace      = { name = "Example", is_past_due = false }
        emails_by_role = { ADMIN = ["ada@example.com"], MEMBER = ["mia@example.com"] }
        agents = {
          idle = { is_published = true, stats = { last30Days = { completion_percent = null } } }
          good = { is_published = true, stats = { last30Days = { completion_percent = 50 } } }
        }
        is_complete = true
      }
    }
  }

  assert {
    condition     = length(output.seldom_completed) == 0
    error_message = "Neither agent should be listed."
  }
}

run "unexpected_admin_fails_the_audit" {
  command = plan

  override_module {
    target = module.read
    outputs = {
      audit = {
        workspace      = { name = "Example", is_past_due = false }
        emails_by_role = { ADMIN = ["ada@example.com", "eve@example.com"] }
        agents         = {}
        is_complete    = true
      }
    }
  }

  expect_failures = [output.admins]
}

# An admin without an email address is listed as "".
run "admin_without_email_fails_the_audit" {
  command = plan

  override_module {
    target = module.read
    outputs = {
      audit = {
        workspace      = { name = "Example", is_past_due = false }
        emails_by_role = { ADMIN = ["", "ada@example.com"] }
        agents         = {}
        is_complete    = true
      }
    }
  }

  expect_failures = [output.admins]
}

run "past_due_and_seldom_completed" {
  override_module {
    target = module.read
    outputs = {
      audit = {
        workspace      = { name = "Example", is_past_due = true }
        emails_by_role = { ADMIN = ["ada@example.com"] }
        agents = {
          draft = { is_published = null, stats = { last30Days = { completion_percent = 10 } } }
          bad   = { is_published = true, stats = { last30Days = { completion_percent = 49 } } }
        }
        is_complete = true
      }
    }
  }

  expect_failures = [check.payments]

  assert {
    condition     = output.seldom_completed == ["bad"]
    error_message = "Only the published agent should be listed."
  }
}

run "incomplete_audit_fails" {
  command = plan

  override_module {
    target = module.read
    outputs = {
      audit = {
        workspace      = { name = "Example", is_past_due = false }
        emails_by_role = { ADMIN = ["ada@example.com"] }
        agents         = {}
        is_complete    = false
      }
    }
  }

  expect_failures = [output.seldom_completed]
}
