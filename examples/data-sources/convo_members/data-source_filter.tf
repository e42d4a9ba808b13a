provider "convo" {}

data "convo_members" "this" {
  workspace_id = "larkspur"
}

# Names of the members whose email address is missing or outside the company's domain.
output "external_members" {
  value = [
    for member in data.convo_members.this.members : try(member.user.name, null)
    if !try(endswith(member.user.email, "@larkspur-bicycles.example"), false)
  ]
}
