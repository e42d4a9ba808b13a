terraform {
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
}

data "convo_members" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  admins = lookup(data.convo_members.this.emails_by_role, "ADMIN", [])
  unexpected = [
    for email in setsubtract(local.admins, ["adaeze@larkspur-bicycles.example"]) :
    email == "" ? "no email address" : email
  ]
}

output "admins" {
  value = local.admins

  precondition {
    condition     = length(local.admins) > 0
    error_message = "No administrator is visible."
  }

  precondition {
    condition     = length(local.unexpected) == 0
    error_message = "Unexpected administrators: ${join(", ", local.unexpected)}"
  }
}
