# The body as the service wants it, where a single key is not enough.
resource "convo_session_agent" "payload" {
  session_id = "ses_orders_open"

  payload = jsonencode({
    agentId = "agt_returns"
    reason  = "the order is sent back"
  })
}
