variable "staging_token" { ephemeral = true }

provider "convo" {
  alias    = "staging"
  base_url = "https://staging.agents.example/api"
  token    = var.staging_token
}
