terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

provider "convo" {}

data "convo_agent" "returns" {
  agent_id                = "agt_returns"
  include_definition_json = true
}

output "diagram" {
  value = provider::convo::flow_diagram(data.convo_agent.returns.definition_json)
}
