data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  cutoff = timeadd(plantimestamp(), "-${90 * 24}h")
}

# Includes agents whose time is missing or cannot be compared.
output "stale_agents" {
  value = {
    for id, agent in data.convo_workspace_audit.this.agents : id => agent.updated_at
    if try(timecmp(agent.updated_at, local.cutoff) < 0, true)
  }
}
