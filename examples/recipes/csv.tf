terraform {
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
}

data "convo_workspace_audit" "this" {
  workspace_id  = "ws_larkspur01"
  stats_periods = ["last30Days"]
}

output "members" {
  value = [
    for member in data.convo_workspace_audit.this.members :
    [member.role, try(member.user.name, null), try(member.user.email, null)]
  ]
}

output "agents" {
  value = [
    for id, agent in data.convo_workspace_audit.this.agents :
    [id, agent.name, agent.is_published, agent.stats["last30Days"].total_starts]
  ]
}
