# Reads the workspace that the policies in this directory check.

terraform {
  required_version = ">= 1.8"
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

output "findings" {
  value = provider::convo::audit_report(jsonencode(data.convo_workspace_audit.this), null, []).findings
}

check "payments" {
  assert {
    condition     = data.convo_workspace_audit.this.workspace.is_past_due == false
    error_message = "A payment is past due, or the value is missing."
  }
}
