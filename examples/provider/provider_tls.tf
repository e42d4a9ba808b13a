terraform {
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}

variable "gateway_key" {
  description = "What the gateway in front of the service asks for."
  type        = string
  sensitive   = true
}

provider "convo" {
  # Only this authority is trusted, in place of the system's.
  ca_certificate_pem = file("${path.module}/ca.pem")

  # What the provider shows to the service.
  client_certificate_pem = file("${path.module}/client.pem")
  client_key_pem         = file("${path.module}/client-key.pem")

  headers = {
    X-Gateway-Key = var.gateway_key
  }
}
