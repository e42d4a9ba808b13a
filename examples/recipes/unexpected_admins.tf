data "convo_members" "this" {
  workspace_id = "ws_larkspur01"
}

locals {
  admins     = lookup(data.convo_members.this.emails_by_role, "ADMIN", [])
  unexpected = setsubtract(local.admins, ["adaeze@larkspur-bicycles.example"])
}

output "admins" {
  value = local.admins

  precondition {
    condition     = length(local.unexpected) == 0
    error_message = "Unexpected administrators: ${join(", ", local.unexpected)}"
  }
}
