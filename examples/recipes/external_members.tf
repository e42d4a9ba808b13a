data "convo_members" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  external = distinct([
    for email in flatten(values(data.convo_members.this.emails_by_role)) : email
    if !endswith(lower(email), "@larkspur-bicycles.example")
  ])
}

output "external_members" {
  value = local.external

  precondition {
    condition     = length(local.external) == 0
    error_message = "Members from other domains: ${join(", ", local.external)}"
  }
}
