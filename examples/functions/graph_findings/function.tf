data "convo_agent" "returns" {
  agent_id                = "agt_returns"
  include_definition_json = true
}

locals {
  findings = provider::convo::graph_findings(data.convo_agent.returns.definition_json)
  kinds    = ["dangling_link", "missing_link", "dangling_jump", "graph_not_understood"]
  errors   = [for f in local.findings : f.message if contains(local.kinds, f.kind)]
}

output "findings" {
  value = local.findings

  precondition {
    condition     = length(local.errors) == 0
    error_message = join("\n", local.errors)
  }
}
