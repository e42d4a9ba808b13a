# A module with something to test: it turns what it reads into a verdict.

terraform {
  required_version = ">= 1.7" # mock_provider, in tests/
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}

variable "workspace" {
  description = "Id or slug of the workspace."
  type        = string
}

variable "agent_id" {
  description = "Agent whose sessions are counted."
  type        = string
}

data "convo_workspace" "this" {
  workspace_id = var.workspace
}

data "convo_agent_stats" "this" {
  agent_id = var.agent_id
  period   = "last30Days"
}

check "payments" {
  assert {
    condition     = !data.convo_workspace.this.is_past_due
    error_message = "A payment of ${data.convo_workspace.this.name} is past due."
  }
}

output "completed_percent" {
  description = "Share of started sessions that were completed. Null without starts."
  value = (
    data.convo_agent_stats.this.total_starts > 0
    ? floor(100 * data.convo_agent_stats.this.total_completed / data.convo_agent_stats.this.total_starts)
    : null
  )
}
