output "workspace" {
  description = "Plan and billing state of the workspace."
  value = {
    name        = data.convo_workspace.this.name
    plan        = data.convo_workspace.this.plan
    is_past_due = data.convo_workspace.this.is_past_due
  }
}

output "admins" {
  description = "Email addresses of the members who have the role ADMIN."
  value       = local.admins
}

output "published_agents" {
  description = "URLs of the published agents, by ID."
  value = {
    for agent in data.convo_agents.all.agents : agent.id => agent.url if agent.is_published == true
  }
}

output "locked_agents" {
  description = "Agents whose definition is locked."
  value = [
    for id, agent in data.convo_agent.each : "${try(coalesce(agent.profile.title), "Agent")} (${id})"
    if try(agent.exposure.state.locked, false) == true
  ]
}

output "performance" {
  description = "Counters of one agent for several periods, with the percentage completed."
  value = {
    for period, stats in data.convo_agent_stats.each : period => {
      views              = stats.total_views
      starts             = stats.total_starts
      completed          = stats.total_completed
      completion_percent = stats.completion_percent
    }
  }
}

output "session" {
  description = "Message of the service when the session moved."
  value       = convo_session_agent.moved.message
}
