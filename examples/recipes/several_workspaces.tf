variable "tidepool_token" { ephemeral = true }

provider "convo" {
  alias = "tidepool"
  token = var.tidepool_token
}

data "convo_members" "larkspur" { workspace_id = "ws_larkspur01" }

data "convo_members" "tidepool" {
  provider     = convo.tidepool
  workspace_id = "ws_tidepool02"
}

output "admins" {
  value = {
    larkspur = lookup(data.convo_members.larkspur.emails_by_role, "ADMIN", [])
    tidepool = lookup(data.convo_members.tidepool.emails_by_role, "ADMIN", [])
  }
}
