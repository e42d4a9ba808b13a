# Accepts 0.1.0 and its patch releases. The lock file selects one of them.

terraform {
  required_version = ">= 1.5"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

data "convo_agents" "all" {}

output "agents" {
  description = "Number of agents."
  value       = length(data.convo_agents.all.agents)
}
