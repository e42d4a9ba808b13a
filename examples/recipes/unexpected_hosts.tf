data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  allowed = ["cdn.larkspur-bicycles.example", "larkspur-bicycles.example", "orders.larkspur-bicycles.example"]
  unexpected = flatten([
    for id, agent in data.convo_workspace_audit.this.agents : [
      for host in agent.external_hosts : "${id}: ${host}" if !contains(local.allowed, host)
    ]
  ])
}

output "unexpected_hosts" {
  value = local.unexpected

  precondition {
    condition     = data.convo_workspace_audit.this.is_complete
    error_message = "The audit is incomplete, so a host may be missing."
  }

  precondition {
    condition     = length(local.unexpected) == 0
    error_message = "Unexpected hosts: ${join(", ", local.unexpected)}"
  }
}
