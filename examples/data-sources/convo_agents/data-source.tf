data "convo_agents" "all" {}

# Several agents can have the same name.
output "ids_by_name" {
  value = { for agent in data.convo_agents.all.agents : agent.name => agent.id... if agent.name != null }
}

output "published" {
  value = {
    for agent in data.convo_agents.all.agents : agent.id => agent.url
    if agent.id != null && agent.is_published == true
  }
}
