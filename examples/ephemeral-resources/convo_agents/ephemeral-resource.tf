ephemeral "convo_agents" "all" {}

check "descriptions" {
  assert {
    condition = alltrue([
      for agent in ephemeral.convo_agents.all.agents : agent.description != null
      if agent.is_published == true
    ])
    error_message = "A published agent has no description."
  }
}
