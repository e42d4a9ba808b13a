resource "convo_session_agent" "example" {
  session_id = "ses_orders_open"

  payload = jsonencode({
    agent = { id = "agt_nonexistent" }
  })
}
