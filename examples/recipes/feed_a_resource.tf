data "convo_agent" "orders" {
  agent_id = "agt_orders"
}

# Replace this with the resource that needs the values.
resource "terraform_data" "website" {
  input = {
    chat_url  = data.convo_agent.orders.exposure.access.url
    public_id = data.convo_agent.orders.ref.public_key
  }
}
