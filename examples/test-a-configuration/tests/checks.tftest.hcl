run "high_risk_is_found" {
  command = plan
  module { source = "./checks" }
  variables {
    audit = { agents = { high = { risk_score = 11 }, missing = { risk_score = null } } }
  }
  assert {
    condition     = output.findings[*].id == ["high"]
    error_message = "Only the agent high should be found."
  }
}
