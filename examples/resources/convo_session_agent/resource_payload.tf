resource "convo_session_agent" "example" {
  session_id = "ses_orders_open"

  payload = jsonencode({
    agentId = "agt_returns"
    reason  = "return"
  })
}
