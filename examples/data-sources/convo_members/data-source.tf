terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

provider "convo" {}

data "convo_members" "this" {
  workspace_id = "larkspur"
}

output "admins" {
  value = lookup(data.convo_members.this.emails_by_role, "ADMIN", [])
}
