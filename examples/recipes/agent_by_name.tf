data "convo_agent" "orders" {
  name = "Order status"
}

output "revision" {
  value = data.convo_agent.orders.ref.revision
}
