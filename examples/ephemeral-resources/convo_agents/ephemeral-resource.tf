ephemeral "convo_agents" "all" {}

check "orders_is_published" {
  assert {
    condition     = anytrue([for agent in ephemeral.convo_agents.all.agents : agent.id == "agt_orders" && agent.is_published == true])
    error_message = "The agent agt_orders is not published."
  }
}
