# The whole workspace in one read, and a plan that fails when it is not in order.

terraform {
  required_version = ">= 1.5"
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}

# The address and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

data "convo_workspace_audit" "this" {
  workspace_id  = var.workspace
  stats_periods = ["last30Days"]

  lifecycle {
    postcondition {
      condition     = alltrue([for m in self.members : contains(var.allowed_admins, m.user.email) if m.role == "ADMIN"])
      error_message = "Somebody is ADMIN who is not in allowed_admins."
    }
    postcondition {
      condition     = alltrue([for a in self.agents : length(try(setintersection(a.labels, var.owner_labels), [])) > 0 if a.is_published == true])
      error_message = "A published agent has no label that names its owner."
    }
    postcondition {
      condition     = !self.workspace.is_past_due
      error_message = "A payment of ${self.workspace.name} is past due."
    }
    postcondition {
      condition     = alltrue([for a in self.agents : a.stats["last30Days"].total_completed >= var.least_completed * a.stats["last30Days"].total_starts if a.is_published == true])
      error_message = "Too few of the sessions that were started in the last 30 days were completed."
    }
    postcondition {
      condition     = self.summary.problems == 0
      error_message = "Parts of the workspace could not be read: ${jsonencode(self.problems)}"
    }
  }
}

output "summary" {
  description = "Counts over all agents and members. Their changes are the audit's news."
  value       = data.convo_workspace_audit.this.summary
}
