# Audits any number of workspaces with one provider block. Only OpenTofu supports
# for_each in a provider block.

terraform {
  # Ephemeral variables require OpenTofu 1.11.
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

variable "workspaces" {
  description = "IDs or slugs of the workspaces. The keys are the same as in tokens."
  type        = map(string)
  default = {
    larkspur = "larkspur"
    tidepool = "ws_tidepool02"
  }
}

# The base URL comes from CONVO_BASE_URL. OpenTofu warns if for_each is the same expression as
# in the module, because destroying a resource would still require its provider.
provider "convo" {
  alias    = "each"
  for_each = toset(keys(var.workspaces))
  token    = var.tokens[each.key]
}

module "audit" {
  source       = "../audit"
  for_each     = var.workspaces
  workspace_id = each.value
  providers = {
    convo = convo.each[each.key]
  }
}

output "workspaces" {
  description = "Number of agents and reasons for failure by workspace."
  value       = { for key, audit in module.audit : key => audit.result }
}
