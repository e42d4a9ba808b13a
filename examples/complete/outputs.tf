output "workspace" {
  description = "Plan and billing state of the workspace."
  value = {
    name        = data.convo_workspace.this.name
    plan        = data.convo_workspace.this.plan
    is_past_due = data.convo_workspace.this.is_past_due
  }
}

output "admins" {
  description = "E-mail addresses of everyone who may change the workspace."
  value       = local.admins
}

output "published_agents" {
  description = "Agents that are out in the world, with the address at which they are reached."
  value       = { for agent in data.convo_agents.all.agents : agent.id => agent.url if agent.is_published }
}

output "locked_agents" {
  description = "Agents whose definition is locked."
  value = [
    for id, agent in data.convo_agent.each : "${agent.profile.title} (${id})"
    if try(agent.exposure.state.locked, false) == true
  ]
}

output "performance" {
  description = "Counters of one agent over several periods, and the share of started sessions that were completed."
  value = {
    for period, stats in data.convo_agent_stats.each : period => {
      views     = stats.total_views
      starts    = stats.total_starts
      completed = stats.total_completed
      share     = stats.total_starts > 0 ? format("%.0f %%", 100 * stats.total_completed / stats.total_starts) : "none"
    }
  }
}

output "session" {
  description = "What the service answered when the session moved."
  value       = convo_session_agent.moved.message
}
