data "convo_agent" "returns" {
  agent_id = "agt_returns"
}

output "is_locked" {
  value = data.convo_agent.returns.exposure.state.locked
}

# The interface leaves the shape of nodes open: not each of them has a title.
output "node_titles" {
  value = [for node in jsondecode(data.convo_agent.returns.graph.nodes_json) : node.title if can(node.title)]
}
