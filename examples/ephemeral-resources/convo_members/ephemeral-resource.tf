ephemeral "convo_members" "this" {
  workspace_id = "ws_larkspur01"
}

check "admins" {
  assert {
    condition     = length(lookup(ephemeral.convo_members.this.emails_by_role, "ADMIN", [])) <= 1
    error_message = "More than one member has the ADMIN role."
  }
}
