# Audits any number of workspaces with one token, for a service that selects the agents by a
# query parameter.

terraform {
  required_version = ">= 1.11"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "accepted" {
  description = "Accepted findings of all workspaces by key, with the reasons. The reports show the keys."
  type        = map(string)
  default     = {}
}

variable "workspaces" {
  description = "Workspaces to audit, by ID."
  type = map(object({
    allowed_admins = set(string)
  }))
  default = {
    ws_larkspur01 = {
      allowed_admins = ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]
    }
    ws_tidepool02 = {
      allowed_admins = ["adaeze@larkspur-bicycles.example"]
    }
  }
}

module "audit" {
  source         = "../audit"
  for_each       = var.workspaces
  workspace_id   = each.key
  allowed_admins = each.value.allowed_admins
  accepted       = var.accepted
  agent_query    = { workspaceId = each.key }
}

output "reports" {
  description = "Reports by workspace."
  sensitive   = true
  value       = { for id, audit in module.audit : id => audit.report }
}
