data "convo_members" "this" {
  workspace_id = "ws_larkspur01"
}

# Administrators' email addresses.
output "admins" {
  value = lookup(data.convo_members.this.emails_by_role, "ADMIN", [])
}

# Any attribute of a member can be null.
output "members" {
  value = [
    for member in data.convo_members.this.members :
    { role = member.role, name = try(member.user.name, null), email = try(member.user.email, null) }
  ]
}
