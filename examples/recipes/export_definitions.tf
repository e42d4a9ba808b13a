terraform {
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
}

data "convo_agents" "all" {}

data "convo_agent" "each" {
  for_each                = toset(compact(data.convo_agents.all.agents[*].id))
  agent_id                = each.key
  include_definition_json = true
}

output "definitions" {
  value = join("", [
    for id, agent in data.convo_agent.each : "--- # ${id}\n${yamlencode(jsondecode(agent.definition_json))}"
  ])
  sensitive = true # The apply does not print it.
}
