# Copies the members to a secret in Vault. Terraform does not store the value of data_json_wo.
# Assumes version 5.0 or later of the provider hashicorp/vault, and a KV version 2 engine that is
# mounted at "secret".
ephemeral "convo_members" "copied" {
  workspace_id = "ws_larkspur01"
}

resource "vault_kv_secret_v2" "members" {
  mount        = "secret"
  name         = "convo/larkspur/members"
  data_json_wo = jsonencode({ members = ephemeral.convo_members.copied.members })

  # To copy the members again, increase the version.
  data_json_wo_version = 1
}
