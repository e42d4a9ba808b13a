data "convo_agent" "returns" {
  agent_id                = "agt_returns"
  include_definition_json = true
}

# Without a file, everything is listed as added.
locals {
  file = "${path.module}/definitions/agt_returns.yaml"
  changes = provider::convo::definition_diff(
    data.convo_agent.returns.definition_json,
    fileexists(local.file) ? jsonencode(yamldecode(file(local.file))) : null
  )
}

# One line for each change, except for changes of the layout.
output "changes" {
  value = [
    for c in local.changes :
    join(" ", compact([c.change, c.part, c.id, c.title, c.path]))
    if !c.is_layout
  ]
}
