data "convo_members" "this" {
  workspace_id = "ws_larkspur01"
}

# Administrators' email addresses, or [] if there are no administrators.
output "admins" {
  value = lookup(data.convo_members.this.emails_by_role, "ADMIN", [])
}

# Names of the members whose email address is missing or outside the company's domain.
output "external_members" {
  value = [
    for member in data.convo_members.this.members : try(member.user.name, null)
    if !try(endswith(member.user.email, "@larkspur-bicycles.example"), false)
  ]
}
