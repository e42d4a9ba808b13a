variable "staging_token" { ephemeral = true }

provider "convo" {
  alias    = "staging"
  base_url = "https://staging.agents.example/api"
  token    = var.staging_token
}

data "convo_agents" "staging" {
  provider = convo.staging
}

data "convo_agents" "production" {}
