# Audits two workspaces, each with its own provider configuration and token.

terraform {
  # Ephemeral variables require Terraform 1.10 or OpenTofu 1.11.
  required_version = ">= 1.10"
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
  source       = "./audit"
  workspace_id = "larkspur"
  providers = {
    convo = convo.larkspur
  }
}

module "tidepool" {
  source       = "./audit"
  workspace_id = "ws_tidepool02"
  providers = {
    convo = convo.tidepool
  }
}

output "workspaces" {
  description = "Number of agents and reasons for failure by workspace."
  value = {
    larkspur = module.larkspur.result
    tidepool = module.tidepool.result
  }
}
