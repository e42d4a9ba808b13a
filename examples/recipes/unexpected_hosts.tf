terraform {
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
}

data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  domains = [
    "chat.larkspur-bicycles.example",
    "jobs.larkspur-bicycles.example",
    "kiosk.larkspur-bicycles.example",
    "sale.larkspur-bicycles.example",
    "trade.larkspur-bicycles.example",
  ]
  external_hosts = ["cdn.larkspur-bicycles.example", "larkspur-bicycles.example", "orders.larkspur-bicycles.example"]
  unexpected = flatten([
    for id, agent in data.convo_workspace_audit.this.agents : concat(
      [for domain in compact([agent.domain]) : "${id}: ${domain}" if !contains(local.domains, domain)],
      [for host in agent.external_hosts : "${id}: ${host}" if !contains(local.external_hosts, host)],
    )
  ])
}

output "unexpected_hosts" {
  value = local.unexpected

  precondition {
    condition     = data.convo_workspace_audit.this.is_complete
    error_message = "The audit is incomplete, so a domain or a host may be missing."
  }

  precondition {
    condition     = length(local.unexpected) == 0
    error_message = "Unexpected domains or hosts: ${join(", ", local.unexpected)}"
  }
}
