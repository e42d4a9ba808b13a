variable "workspace" {
  description = "ID or slug of the workspace to audit."
  type        = string
  default     = "larkspur"
}

variable "agent_query" {
  description = "Query parameters that select the workspace's agents, if the service requires them."
  type        = map(string)
  default     = null
}

variable "allowed_admins" {
  description = "Email addresses of the members who may have the ADMIN role."
  type        = set(string)
  default     = ["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]
}

variable "owner_labels" {
  description = "Labels that name an owner. A published agent must have at least one of them."
  type        = set(string)
  default     = ["dealers", "people", "service"]
}

variable "minimum_completion_percent" {
  description = "Minimum percentage of completed sessions, a whole number from 0 to 100."
  type        = number
  default     = 50
}

variable "minimum_starts" {
  description = "Minimum number of started sessions for an agent's percentage to be checked."
  type        = number
  default     = 20
}

variable "graph_finding_kinds" {
  description = "Kinds of graph findings to report for published agents."
  type        = set(string)
  default     = ["dangling_link", "entrypoint_without_link", "graph_not_understood", "unreachable_node"]
}

variable "maximum_removed" {
  description = "Number of recorded agents and members that may be gone in a run without an error."
  type        = number
  default     = 2
}
