terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

data "convo_workspace_audit" "this" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
}

output "admins" {
  value = data.convo_workspace_audit.this.emails_by_role["ADMIN"]
}

output "sessions" {
  value = data.convo_workspace_audit.this.summary.stats["last30Days"]
}
