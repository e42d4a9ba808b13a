# No e-mail address is stored, in the state or in a plan file.
ephemeral "convo_members" "this" {
  workspace_id = "larkspur"
}

check "admins" {
  assert {
    condition     = length([for m in ephemeral.convo_members.this.members : m if m.role == "ADMIN"]) <= 1
    error_message = "More than one person is ADMIN."
  }
}
