# Prints the email addresses of unexpected administrators. To store none of them, run only
# "terraform plan" without -out.

terraform {
  required_version = ">= 1.5"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# The base URL and the token come from CONVO_BASE_URL and CONVO_TOKEN.
provider "convo" {}

variable "allowed_admins" {
  description = "Email addresses of the members who may have the ADMIN role."
  type        = set(string)
  default     = ["adaeze@larkspur-bicycles.example"]
}

data "convo_members" "this" {
  workspace_id = "larkspur"
}

locals {
  admins = lookup(data.convo_members.this.emails_by_role, "ADMIN", [])
}

check "admins" {
  assert {
    condition = length(setsubtract(local.admins, var.allowed_admins)) == 0
    error_message = join(" ", [
      "These members unexpectedly have the ADMIN role:",
      join(", ", setsubtract(local.admins, var.allowed_admins)),
    ])
  }
}
