data "convo_agents" "all" {}

# Where each published agent is reached.
output "published" {
  value = { for agent in data.convo_agents.all.agents : agent.id => agent.url if agent.is_published == true }
}
