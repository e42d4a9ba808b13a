# Definitions of agents, as an output whose changes a plan shows value by value,
# and as YAML documents for a repository.

terraform {
  required_version = ">= 1.5"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "agent_ids" {
  description = "IDs of the agents whose definitions are written."
  type        = set(string)
  default     = ["agt_orders", "agt_returns"]
}

data "convo_agent" "each" {
  for_each                = var.agent_ids
  agent_id                = each.key
  include_definition_json = true
}

locals {
  definitions = {
    for id, agent in data.convo_agent.each : id => jsondecode(agent.definition_json)
  }
}

# A plan compares this output with that of the last apply.
output "definitions" {
  description = "Definitions by agent ID. The share token is null in them."
  value       = local.definitions
}

# write.sh splits this text into files. It is sensitive only so that a plan does
# not print every change twice.
output "documents" {
  description = "Definitions as YAML documents. Each follows a comment with the agent's ID."
  sensitive   = true
  value = join("", [
    for id, definition in local.definitions : "--- # ${id}\n${yamlencode(definition)}"
  ])
}
