terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

provider "convo" {
  base_url = "https://agents.example/api"
}

data "convo_agents" "all" {}

output "agents" {
  value = { for agent in data.convo_agents.all.agents : agent.id => agent.name }
}
