terraform {
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
}

data "convo_agent" "orders" {
  agent_id = "agt_orders"
}

output "nodes" {
  value = [
    for node in try(jsondecode(data.convo_agent.orders.graph.nodes_json), []) : try(coalesce(node.title, node.id), node.id, null)
    if strcontains(jsonencode(node), "orders.larkspur-bicycles.example")
  ]
}
