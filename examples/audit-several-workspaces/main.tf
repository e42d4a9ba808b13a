# Audits two workspaces, each with its own provider configuration and token.

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

# The base URL comes from CONVO_BASE_URL.
provider "convo" {
  alias = "larkspur"
  token = var.tokens["larkspur"]
}

provider "convo" {
  alias = "tidepool"
  token = var.tokens["tidepool"]
}

module "larkspur" {
  source         = "./audit"
  workspace_id   = "ws_larkspur01"
  allowed_admins = ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]
  accepted       = var.accepted
  providers = {
    convo = convo.larkspur
  }
}

module "tidepool" {
  source         = "./audit"
  workspace_id   = "ws_tidepool02"
  allowed_admins = ["adaeze@larkspur-bicycles.example"]
  accepted       = var.accepted
  providers = {
    convo = convo.tidepool
  }
}

output "reports" {
  description = "Reports by workspace."
  sensitive   = true
  value = {
    larkspur = module.larkspur.report
    tidepool = module.tidepool.report
  }
}
