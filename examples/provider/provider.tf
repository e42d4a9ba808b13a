terraform {
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}

# The token comes from the environment variable CONVO_TOKEN.
provider "convo" {
  base_url = "https://agents.example/api"
}
