data "convo_members" "this" {
  workspace_id = "ws_larkspur01"
}

# Administrators' email addresses, or [] if there are no administrators.
output "admins" {
  value = lookup(data.convo_members.this.emails_by_role, "ADMIN", [])
}

# Names of the members with the undocumented role GUEST. Any attribute of a member can be null.
output "guests" {
  value = [
    for member in data.convo_members.this.members : try(member.user.name, null)
    if member.role == "GUEST"
  ]
}
