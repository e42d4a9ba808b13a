ephemeral "convo_members" "this" {
  workspace_id = "ws_larkspur01"
}

# A missing user or email address also fails the check.
check "email_domains" {
  assert {
    condition = alltrue([
      for member in ephemeral.convo_members.this.members :
      try(endswith(lower(member.user.email), "@larkspur-bicycles.example"), false)
    ])
    error_message = "A member's email address is missing, or has another domain."
  }
}
