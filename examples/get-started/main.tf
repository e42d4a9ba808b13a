terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

data "convo_workspace_audit" "this" {
  workspace_id = "ws_larkspur01" # Replace with the ID of your workspace.

  lifecycle {
    postcondition {
      condition     = self.summary.agents > 0 && coalesce(self.summary.foreign_agents, 0) == 0
      error_message = "The service did not list the agents of this workspace. Check the token, or set agent_query."
    }
  }
}

output "admins" {
  value = lookup(data.convo_workspace_audit.this.emails_by_role, "ADMIN", [])
}

output "published_agents" {
  value = [for a in data.convo_workspace_audit.this.agents : a.name if a.is_published == true]
}
