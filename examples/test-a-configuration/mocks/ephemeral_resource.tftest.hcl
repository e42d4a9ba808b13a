mock_provider "convo" {}

run "ephemeral_resource" {
  module {
    source = "./ephemeral"
  }
}
