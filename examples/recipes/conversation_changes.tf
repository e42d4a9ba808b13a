terraform {
  required_providers {
    convo = { source = "convo/convo", version = "~> 0.1.0" }
  }
}

locals {
  id      = "agt_orders"
  now     = data.convo_agent.orders.definition_json
  before  = jsonencode(yamldecode(file("../definitions/${local.id}.yaml")))
  changes = [for c in provider::convo::definition_diff(local.now, local.before) : c if !c.is_layout]
  lines = [
    for c in local.changes : join(" ", compact([
      c.change, c.part, c.id, c.title,
      c.path == "" ? "" : "${c.path}: ${substr(coalesce(c.before, "none"), 0, 200)} → ${substr(coalesce(c.after, "none"), 0, 200)}",
    ]))
  ]
}

data "convo_agent" "orders" {
  agent_id                = local.id
  include_definition_json = true
}

# Indentation prevents Markdown rendering.
output "comment" {
  value = join("\n", concat(
    ["Changes in `${local.id}`:", ""], [for line in coalescelist(local.lines, ["none"]) : "    ${replace(line, "/[\r\n]/", " ")}"],
    ["", "```mermaid\n${provider::convo::flow_diagram(local.now, local.before)}```"],
  ))
  sensitive = true
}
