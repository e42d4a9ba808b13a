terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

provider "convo" {}

data "convo_agent" "returns" {
  agent_id = "agt_returns"
}

resource "convo_session_agent" "open" {
  for_each     = toset([for row in csvdecode(file("sessions.csv")) : row.session_id])
  session_id   = each.key
  agent_id     = "agt_returns"
  on_rejection = "warn"

  triggers = {
    published = try(data.convo_agent.returns.exposure.schedule.published_at, null)
    revision  = try(data.convo_agent.returns.ref.revision, null)
    updated   = try(data.convo_agent.returns.timestamps.updated, null)
  }
}

# Sessions whose updates the service rejected.
output "rejected" {
  value = [for id, session in convo_session_agent.open : id if session.message == null]
}
