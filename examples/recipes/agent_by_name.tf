data "convo_agent" "orders" {
  name = "Order status"
}

output "revision" {
  value = try(data.convo_agent.orders.ref.revision, null)
}
