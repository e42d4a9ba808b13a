ephemeral "convo_agents" "all" {}

check "descriptions" {
  assert {
    condition     = alltrue([for a in ephemeral.convo_agents.all.agents : a.description != null if a.is_published == true])
    error_message = "A published agent has no description."
  }
}
