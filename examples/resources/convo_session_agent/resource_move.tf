resource "convo_session_agent" "example" {
  session_id = "ses_orders_open"
  agent_id   = "agt_returns"
}
