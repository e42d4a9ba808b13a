provider "convo" {}

data "convo_agents" "all" {}

# Reads the definitions and statistics of only the published agents.
data "convo_workspace_audit" "published" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
  agent_ids = [
    for agent in data.convo_agents.all.agents : agent.id
    if agent.is_published == true
  ]
}

output "revisions" {
  value = { for id, agent in data.convo_workspace_audit.published.agents : id => agent.revision }
}
