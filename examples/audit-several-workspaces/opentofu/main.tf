# Audits any number of workspaces with one provider block. Only OpenTofu supports
# for_each in a provider block.

terraform {
  required_version = ">= 1.11"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

variable "tokens" {
  description = "Tokens by workspace."
  type        = map(string)
  sensitive   = true
  ephemeral   = true
}

variable "accepted" {
  description = "Accepted findings of all workspaces by key, with the reasons. The reports show the keys."
  type        = map(string)
  default     = {}
}

variable "workspaces" {
  description = "Workspaces to audit. The keys are the same as in tokens."
  type = map(object({
    id             = string
    allowed_admins = set(string)
  }))
  default = {
    larkspur = {
      id             = "ws_larkspur01"
      allowed_admins = ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]
    }
    tidepool = {
      id             = "ws_tidepool02"
      allowed_admins = ["adaeze@larkspur-bicycles.example"]
    }
  }
}

locals {
  provider_keys = toset(["larkspur", "tidepool"])
}

# The base URL comes from CONVO_BASE_URL.
provider "convo" {
  alias    = "each"
  for_each = local.provider_keys
  token    = var.tokens[each.key]
}

module "audit" {
  source         = "../audit"
  for_each       = var.workspaces
  workspace_id   = each.value.id
  allowed_admins = each.value.allowed_admins
  accepted       = var.accepted
  providers = {
    convo = convo.each[each.key]
  }
}

output "reports" {
  description = "Reports by workspace."
  sensitive   = true
  value       = { for key, audit in module.audit : key => audit.report }
}
