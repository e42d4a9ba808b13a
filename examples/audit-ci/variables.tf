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
  description = "Labels that name the team behind an agent. Each published agent must have one of them."
  type        = set(string)
  default     = ["dealers", "people", "service"]
}

variable "least_completed" {
  description = "Least share of started sessions that must be completed, from 0 to 1."
  type        = number
  default     = 0.5
}

variable "least_starts" {
  description = "An agent with fewer starts in the last 30 days is not judged by its share."
  type        = number
  default     = 20
}
