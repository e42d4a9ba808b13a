variable "gateway_key" {
  type      = string
  sensitive = true
}

provider "convo" {
  ca_certificate_pem     = file("${path.module}/ca.pem")
  client_certificate_pem = file("${path.module}/client.pem")
  client_key_pem         = file("${path.module}/client-key.pem")

  headers = {
    X-Gateway-Key = var.gateway_key
  }
}
