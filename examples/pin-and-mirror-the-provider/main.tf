# Accepts 0.1.0 and later 0.1.x releases. The lock file pins one of these releases.

terraform {
  required_version = ">= 1.5"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

data "convo_agents" "all" {}

output "agents" {
  description = "Number of agents."
  value       = length(data.convo_agents.all.agents)
}
