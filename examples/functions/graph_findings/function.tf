data "convo_agent" "returns" {
  agent_id                = "agt_returns"
  include_definition_json = true
}

output "findings" {
  value = provider::convo::graph_findings(data.convo_agent.returns.definition_json)
}
