terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

data "convo_agent_stats" "workshop" {
  agent_id = "agt_workshop"
  period   = "last30Days"
}

output "starts" {
  value = data.convo_agent_stats.workshop.total_starts
}
