terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

provider "convo" {}

data "convo_agents" "all" {}

output "names" {
  value = { for agent in data.convo_agents.all.agents : agent.id => agent.name }
}
