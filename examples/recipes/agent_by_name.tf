terraform {
  required_providers {
    convo = { source = "convo/convo" }
  }
}

data "convo_agent" "orders" {
  name = "Order status"
}

output "agent_id" {
  value = data.convo_agent.orders.agent_id
}
