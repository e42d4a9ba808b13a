data "convo_agent" "staging" {
  provider                = convo.staging
  agent_id                = data.convo_agents.staging.ids_by_name["Order status"][0]
  include_definition_json = true
}

data "convo_agent" "production" {
  agent_id                = data.convo_agents.production.ids_by_name["Order status"][0]
  include_definition_json = true
}

output "differences" {
  value = [
    for c in provider::convo::definition_diff(
      data.convo_agent.staging.definition_json,
      data.convo_agent.production.definition_json
    ) : trimspace("${c.change} ${c.part} ${c.title} ${c.path}") if c.part != "field"
  ]
}
