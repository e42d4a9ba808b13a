ephemeral "convo_agents" "all" {}

# Prints a warning if a published agent has no description.
check "descriptions" {
  assert {
    condition = alltrue([
      for agent in ephemeral.convo_agents.all.agents : agent.description != null
      if agent.is_published == true
    ])
    error_message = "A published agent has no description."
  }
}
