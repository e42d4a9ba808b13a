data "convo_agent" "returns" {
  agent_id                = "agt_returns"
  include_definition_json = true
}

output "diagram" {
  value = provider::convo::flow_diagram(data.convo_agent.returns.definition_json)
}
