data "convo_agent" "returns" {
  agent_id                = "agt_returns"
  include_definition_json = true
}

output "changes" {
  value = [
    for c in provider::convo::definition_diff(
      data.convo_agent.returns.definition_json,
      jsonencode(yamldecode(file("definitions/agt_returns.yaml")))
    ) : c if !c.is_layout
  ]
}
