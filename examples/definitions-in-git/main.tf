# The definitions of some agents as YAML, one document each, for files that a
# repository keeps. The share token is taken out.

terraform {
  required_version = ">= 1.5"
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}

# The address and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "agent_ids" {
  description = "Agents whose definitions are kept."
  type        = set(string)
  default     = ["agt_orders", "agt_returns"]
}

data "convo_agent" "each" {
  for_each                = var.agent_ids
  agent_id                = each.key
  include_definition_json = true
}

locals {
  received = { for id, agent in data.convo_agent.each : id => jsondecode(agent.definition_json) }

  # definition_json is sensitive, because it holds the share token. Only what is
  # left without it may be shown. A definition without the path has no token.
  documents = {
    for id, definition in local.received : id => nonsensitive(yamlencode(try(
      merge(definition, {
        exposure = merge(definition.exposure, {
          access = merge(definition.exposure.access, {
            share = merge(definition.exposure.access.share, { token = null })
          })
        })
      }),
      definition,
    )))
  }

  # What the files hold, and what they would hold now.
  kept = { for id in var.agent_ids : id => try(yamldecode(file("${path.module}/definitions/${id}.yaml")), {}) }
  read = { for id, document in local.documents : id => yamldecode(document) }
}

output "changed" {
  description = "Agents whose definitions differ from their files: both revisions, and the groups that differ."
  value = {
    for id, definition in local.read : id => {
      from = try(local.kept[id].ref.revision, null)
      to   = try(definition.ref.revision, null)
      groups = [
        for group in keys(merge(local.kept[id], definition)) : group
        if jsonencode(try(local.kept[id][group], null)) != jsonencode(try(definition[group], null))
      ]
    } if jsonencode(local.kept[id]) != jsonencode(definition)
  }
}

# One text, because only a text can be printed as it is: write.sh takes it apart.
# Sensitive, so that a plan does not print it all.
output "documents" {
  description = "The definitions as YAML documents. A comment before each names its agent."
  sensitive   = true
  value       = join("", [for id, document in local.documents : "--- # ${id}\n${document}"])

  precondition {
    condition = !anytrue([
      for id, agent in data.convo_agent.each :
      try(strcontains(local.documents[id], coalesce(agent.exposure.access.share.token)), false)
    ])
    error_message = "A share token is still in a definition: it must not be kept."
  }
}
