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
  domains = {
    for id, agent in data.convo_workspace_audit.this.agents : id => agent.domain
    if agent.domain != null
  }
  unexpected = [for id, domain in local.domains : "${id}: ${domain}" if !contains(local.allowed, domain)]
}

output "domains" {
  value = local.domains

  precondition {
    condition     = data.convo_workspace_audit.this.is_complete
    error_message = "The audit is incomplete, so a domain may be missing."
  }

  precondition {
    condition     = length(local.unexpected) == 0
    error_message = "Unexpected domains: ${join(", ", local.unexpected)}"
  }
}
