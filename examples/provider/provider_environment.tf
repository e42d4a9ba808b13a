terraform {
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}

# CONVO_BASE_URL and CONVO_TOKEN say where the service is and who asks.
provider "convo" {}
