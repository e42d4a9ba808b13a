# Stops the run if the conversation flow of an agent in the service has findings
# of the kinds in "kinds".

terraform {
  required_version = ">= 1.8"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "agent_id" {
  description = "ID of the agent to check."
  type        = string
  default     = "agt_orders"
}

variable "kinds" {
  description = "Kinds of findings that stop the run."
  type        = set(string)
  default = [
    "empty_graph", "dangling_link", "dangling_jump", "missing_link", "unreachable_node", "empty_node", "entrypoint_without_link",
  ]
}

data "convo_agent" "this" {
  agent_id                = var.agent_id
  include_definition_json = true
}

locals {
  findings = [
    for f in provider::convo::graph_findings(data.convo_agent.this.definition_json) : f
    if contains(var.kinds, f.kind)
  ]
}

output "findings" {
  description = "Findings of the kinds in \"kinds\"."
  value       = local.findings

  precondition {
    condition     = length(local.findings) == 0
    error_message = join("\n", local.findings[*].message)
  }
}
