variable "allowed_admins" {
  description = "Email addresses of the members who may have the ADMIN role."
  type        = set(string)
  default     = ["adaeze@larkspur-bicycles.example"]
}

data "convo_members" "this" {
  workspace_id = "ws_larkspur01"

  lifecycle {
    postcondition {
      condition = length(
        setsubtract(lookup(self.emails_by_role, "ADMIN", []), var.allowed_admins)
      ) == 0
      error_message = "Unexpected administrators: ${join(", ",
        setsubtract(lookup(self.emails_by_role, "ADMIN", []), var.allowed_admins)
      )}"
    }
  }
}
