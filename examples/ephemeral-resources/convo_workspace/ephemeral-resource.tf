ephemeral "convo_workspace" "this" {
  workspace_id = "ws_larkspur01"
}
