terraform {
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
}

data "convo_members" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  external = [
    for member in data.convo_members.this.members :
    coalesce(try(member.user.email, ""), try(member.user.name, ""), "no email address")
    if !try(endswith(lower(member.user.email), "@larkspur-bicycles.example"), false)
  ]
}

output "external_members" {
  value = local.external

  precondition {
    condition     = length(local.external) == 0
    error_message = "Members from other domains: ${join(", ", local.external)}"
  }
}
