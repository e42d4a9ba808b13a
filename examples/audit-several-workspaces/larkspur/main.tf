# Audits one workspace. Each workspace has a directory, a state, and a job of its own.

terraform {
  required_version = ">= 1.11"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
  # Add your backend here, with a state for this workspace.
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "accepted" {
  description = "Accepted findings by key, with the reasons. The report shows the keys."
  type        = map(string)
  default     = {}
}

module "audit" {
  source         = "../audit"
  workspace_id   = "ws_larkspur01"
  allowed_admins = ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]
  accepted       = var.accepted
}

output "report" {
  value     = module.audit.report
  sensitive = true
}

output "passed" {
  value = module.audit.passed
}
