data "convo_agent" "returns" {
  agent_id                = "agt_returns"
  include_definition_json = true
}

locals {
  findings = provider::convo::graph_findings(data.convo_agent.returns.definition_json)
}

output "findings" {
  value = local.findings

  precondition {
    condition     = alltrue([for f in local.findings : !contains(["dangling_link", "missing_link", "dangling_jump"], f.kind)])
    error_message = "A link or jump leads nowhere."
  }
}
