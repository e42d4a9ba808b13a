# An audit that leaves no personal data behind: what is read is in neither the
# state nor a plan file.

terraform {
  required_version = ">= 1.10"
  required_providers {
    convo = {
      source = "convo/convo"
    }
  }
}

# The address and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "allowed_admins" {
  description = "E-mail addresses of those who may be ADMIN."
  type        = set(string)
  default     = ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]
}

ephemeral "convo_workspace_audit" "this" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]

  # Stops the run.
  lifecycle {
    postcondition {
      condition     = alltrue([for m in self.members : contains(var.allowed_admins, m.user.email) if m.role == "ADMIN"])
      error_message = "Somebody is ADMIN who is not in allowed_admins."
    }
  }
}

# Warns, and lets the run go on.
check "payments" {
  assert {
    condition     = !ephemeral.convo_workspace_audit.this.workspace.is_past_due
    error_message = "A payment is past due."
  }
}

check "completed" {
  assert {
    condition = alltrue([
      for a in ephemeral.convo_workspace_audit.this.agents :
      a.stats["last30Days"].total_completed >= 0.5 * a.stats["last30Days"].total_starts if a.is_published == true
    ])
    error_message = "Too few of the started sessions were completed."
  }
}
