variable "gateway_key" {
  type      = string
  sensitive = true
}

provider "convo" {
  # CA certificates to trust instead of the system's.
  ca_certificate_pem = file("${path.module}/ca.pem")

  # Client certificate and its key.
  client_certificate_pem = file("${path.module}/client.pem")
  client_key_pem         = file("${path.module}/client-key.pem")

  headers = {
    X-Gateway-Key = var.gateway_key
  }
}
