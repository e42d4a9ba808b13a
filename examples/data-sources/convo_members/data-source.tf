data "convo_members" "this" {
  workspace_id = "larkspur"
}

output "admins" {
  value = [for member in data.convo_members.this.members : member.user.email if member.role == "ADMIN"]
}
