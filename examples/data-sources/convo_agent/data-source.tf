data "convo_agent" "returns" {
  agent_id = "agt_returns"
}

output "title" {
  value = try(data.convo_agent.returns.profile.title, null)
}

# Not every node has a title.
output "node_titles" {
  value = [
    for node in try(jsondecode(data.convo_agent.returns.graph.nodes_json), []) :
    node.title if can(node.title)
  ]
}
