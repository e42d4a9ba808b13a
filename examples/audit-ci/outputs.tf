output "workspace" {
  description = "Plan and flags of the workspace."
  value = {
    plan           = data.convo_workspace.this.plan
    is_past_due    = data.convo_workspace.this.is_past_due
    is_quarantined = data.convo_workspace.this.is_quarantined
    is_suspended   = data.convo_workspace.this.is_suspended
  }
}

output "members" {
  description = "E-mail addresses of the members, by role."
  value       = { for member in data.convo_members.this.members : coalesce(member.role, "none") => try(member.user.email, null)... }
}

output "published_agents" {
  description = "Revision, labels and address of each published agent."
  value = {
    for id, agent in data.convo_agent.published : id => {
      revision = agent.ref.revision
      labels   = agent.profile.labels
      url      = agent.exposure.access.url
    }
  }
}

output "findings" {
  description = "What the checks found, one line each. Empty when all is well."
  value       = flatten(values(local.findings))
}
