variable "workspace" {
  description = "Id or slug of the workspace to audit."
  type        = string
  default     = "larkspur"
}

variable "allowed_admins" {
  description = "E-mail addresses of those who may be ADMIN."
  type        = set(string)
  default     = ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]
}

variable "owner_labels" {
  description = "Labels that name an owner. Every published agent needs one of them."
  type        = set(string)
  default     = ["dealers", "people", "service"]
}

variable "least_completed" {
  description = "Share of the started sessions that has to be completed, from 0 to 1."
  type        = number
  default     = 0.5
}
