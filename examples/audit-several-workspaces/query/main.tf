# Audits any number of workspaces with one token, for a service that selects the agents by a
# query parameter.

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

variable "workspace_ids" {
  description = "IDs of the workspaces to audit."
  type        = set(string)
  default     = ["ws_larkspur01", "ws_tidepool02"]
}

module "audit" {
  source       = "../audit"
  for_each     = var.workspace_ids
  workspace_id = each.key
  agent_query  = { workspaceId = each.key }
}

output "workspaces" {
  description = "Number of agents and reasons for failure by workspace."
  value       = { for id, audit in module.audit : id => audit.result }
}
