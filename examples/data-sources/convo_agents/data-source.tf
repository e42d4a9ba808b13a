data "convo_agents" "all" {}

# IDs of the agents with this name, or [] if there are none.
output "order_status" {
  value = lookup(data.convo_agents.all.ids_by_name, "Order status", [])
}

# URLs of the published agents. Any attribute of an agent can be null.
output "published" {
  value = {
    for agent in data.convo_agents.all.agents : agent.id => agent.url
    if agent.id != null && agent.is_published == true
  }
}
