variable "customer_token" {
  type      = string
  ephemeral = true
}

resource "convo_session_agent" "example" {
  session_id = "ses_orders_open"

  payload_wo = jsonencode({
    agent = { id = "agt_returns" }
    token = var.customer_token
  })
  payload_wo_version = 1
}
