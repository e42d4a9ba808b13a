variable "customer_token" {
  type      = string
  ephemeral = true
}

resource "convo_session_agent" "this" {
  session_id = "ses_orders_open"

  payload_wo = jsonencode({
    agentId = "agt_returns"
    token   = var.customer_token
  })
  payload_wo_version = 1
}
