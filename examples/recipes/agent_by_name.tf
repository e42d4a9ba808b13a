data "convo_agents" "all" {
  lifecycle {
    postcondition {
      condition     = length(lookup(self.ids_by_name, "Order status", [])) == 1
      error_message = "${length(lookup(self.ids_by_name, "Order status", []))} agents are called Order status."
    }
  }
}

data "convo_agent" "orders" {
  agent_id = data.convo_agents.all.ids_by_name["Order status"][0]
}

output "revision" {
  value = data.convo_agent.orders.ref.revision
}
