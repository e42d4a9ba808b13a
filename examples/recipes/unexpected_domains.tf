data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  allowed = [
    "chat.larkspur-bicycles.example",
    "jobs.larkspur-bicycles.example",
    "kiosk.larkspur-bicycles.example",
    "sale.larkspur-bicycles.example",
    "trade.larkspur-bicycles.example",
  ]
  unexpected = [
    for id, agent in data.convo_workspace_audit.this.agents : "${id}: ${agent.domain}"
    if try(!contains(local.allowed, agent.domain), false)
  ]
}

output "unexpected_domains" {
  value = local.unexpected

  precondition {
    condition     = data.convo_workspace_audit.this.is_complete
    error_message = "The audit is incomplete, so a domain may be missing."
  }

  precondition {
    condition     = length(local.unexpected) == 0
    error_message = "Unexpected domains: ${join(", ", local.unexpected)}"
  }
}
