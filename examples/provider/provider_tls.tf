variable "gateway_key" {
  description = "API key of the gateway in front of the service."
  type        = string
  sensitive   = true
}

provider "convo" {
  # CA certificates to trust instead of the system's CA certificates.
  ca_certificate_pem = file("${path.module}/ca.pem")

  # Client certificate, for a service that requires one.
  client_certificate_pem = file("${path.module}/client.pem")
  client_key_pem         = file("${path.module}/client-key.pem")

  headers = {
    X-Gateway-Key = var.gateway_key
  }
}
