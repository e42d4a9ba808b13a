# Tests the policies without a service, with OpenTofu.

mock_provider "convo" {
  mock_resource "convo_audit_record" {
    defaults = { record = "" } # No audit is recorded yet.
  }
}

variables {
  accepted = { first_record = "The test has no record.", no_agents = "The test has no agents." }
}

run "expected_admin_passes" {
  command = plan

  override_data {
    target = data.convo_workspace_audit.this
    values = { emails_by_role = { ADMIN = ["adaeze@larkspur-bicycles.example"] } }
  }
}

run "unexpected_admin_fails" {
  command = plan

  override_data {
    target = data.convo_workspace_audit.this
    values = { emails_by_role = { ADMIN = ["eve@example.com"] } }
  }

  expect_failures = [output.passed]
}
