provider "convo" {}

data "convo_agents" "all" {}

# URLs of the published agents, by agent ID. Compare with true, because is_published can be null.
output "published" {
  value = {
    for agent in data.convo_agents.all.agents : agent.id => agent.url
    if agent.is_published == true
  }
}
