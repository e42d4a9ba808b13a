data "convo_agents" "all" {}

# If the list lacks the times, they are in the definitions.
data "convo_agent" "each" {
  for_each = toset([
    for agent in data.convo_agents.all.agents : agent.id
    if agent.id != null && agent.updated_at == null && agent.is_published != false
  ])
  agent_id = each.key
}

locals {
  updated_at = {
    for agent in data.convo_agents.all.agents :
    agent.id => try(data.convo_agent.each[agent.id].timestamps.updated, agent.updated_at)
    if agent.id != null && agent.is_published != false
  }
  cutoff = timeadd(plantimestamp(), "-${180 * 24}h")
}

# Includes agents whose time is unknown or cannot be compared.
output "stale" {
  value = { for id, time in local.updated_at : id => time if try(timecmp(time, local.cutoff) < 0, true) }
}
