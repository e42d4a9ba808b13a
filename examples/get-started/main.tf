terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

output "admins" {
  value = lookup(data.convo_workspace_audit.this.emails_by_role, "ADMIN", [])
}
