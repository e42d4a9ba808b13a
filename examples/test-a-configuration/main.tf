terraform {
  required_version = ">= 1.6"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

provider "convo" {}

data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

module "checks" {
  source = "./checks"
  audit  = data.convo_workspace_audit.this
}

output "findings" {
  value = module.checks.findings
}
