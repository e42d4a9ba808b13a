# Checks a workspace against rules, keeps a record of it, and writes a report.

terraform {
  required_version = ">= 1.5"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }

  # Add your backend here. The state keeps the record for the next run to compare with.
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

data "convo_workspace_audit" "this" {
  workspace_id           = var.workspace
  agent_query            = var.agent_query
  stats_periods          = ["last30Days"]
  include_graph_findings = true
}

locals {
  audit     = data.convo_workspace_audit.this
  workspace = local.audit.workspace
  agents    = local.audit.agents
  stats     = { for id, a in local.agents : id => a.stats["last30Days"] }

  # How each agent is named in messages.
  titles = { for id, a in local.agents : id => "${coalesce(a.name, "Agent")} (${id})" }
}
