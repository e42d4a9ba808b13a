# Returns agent definitions as two outputs: one whose changes a plan shows value
# by value, and one with YAML documents, from which write.sh creates files.

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
  description = "IDs of the agents whose definitions to export."
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

# A plan compares this output with its value from the last apply.
output "definitions" {
  description = "Definitions by agent ID. The share token in them is null."
  value       = local.definitions
}

# write.sh splits this string into files. The output is sensitive only so that a
# plan does not print every change twice.
output "documents" {
  description = "Definitions as YAML documents, each preceded by a comment with the agent's ID."
  sensitive   = true
  value = join("", [
    for id, definition in local.definitions : "--- # ${id}\n${yamlencode(definition)}"
  ])
}
