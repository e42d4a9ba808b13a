run "trade_desk_is_found" {
  command = plan
  assert {
    condition     = contains(output.findings[*].id, "agt_trade")
    error_message = "The agent agt_trade should be found."
  }
}
