terraform {
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
}

data "convo_agent" "orders" {
  name = "Order status"
}

output "agent_id" {
  value = data.convo_agent.orders.agent_id
}
