ephemeral "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01"
}

check "not_shared" {
  assert {
    condition     = alltrue([for agent in ephemeral.convo_workspace_audit.this.agents : agent.is_shared == false])
    error_message = "An agent has a share link, or its definition was not read."
  }
}
