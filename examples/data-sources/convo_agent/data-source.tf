terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

data "convo_agent" "returns" {
  agent_id = "agt_returns"
}

output "is_locked" {
  value = data.convo_agent.returns.exposure.state.locked
}

# The API does not document the shape of nodes. Not every node has a title.
output "node_titles" {
  value = [
    for node in jsondecode(data.convo_agent.returns.graph.nodes_json) :
    node.title if can(node.title)
  ]
}
