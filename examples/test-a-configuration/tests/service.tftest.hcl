# Tests that send requests to the development server. The base URL and the token
# come from CONVO_BASE_URL and CONVO_TOKEN.

provider "convo" {}

variables {
  workspace_id   = "ws_larkspur01"
  allowed_admins = ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]
}

run "development_server" {
  expect_failures = [check.payments]

  assert {
    condition     = output.seldom_completed == ["agt_jobs", "agt_returns"]
    error_message = "agt_jobs and agt_returns should complete fewer than half of their sessions."
  }
}

run "admin_missing_from_the_list" {
  command = plan

  variables {
    allowed_admins = ["soren@larkspur-bicycles.example"]
  }

  expect_failures = [check.payments, output.admins]
}
