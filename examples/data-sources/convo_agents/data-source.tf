data "convo_agents" "all" {}

output "names" {
  value = { for agent in data.convo_agents.all.agents : agent.id => agent.name if agent.id != null }
}

# URLs of the published agents.
output "published" {
  value = {
    for agent in data.convo_agents.all.agents : agent.id => agent.url
    if agent.id != null && agent.is_published == true
  }
}
