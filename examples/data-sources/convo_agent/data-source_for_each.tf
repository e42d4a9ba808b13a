provider "convo" {}

data "convo_agent" "this" {
  for_each = toset(["agt_kiosk", "agt_orders", "agt_returns"])
  agent_id = each.key
}

output "revisions" {
  value = { for id, agent in data.convo_agent.this : id => try(agent.ref.revision, null) }
}
