# Lists published agents that have not changed for a long time.

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

variable "as_of" {
  description = "Time from which to count back the days, in RFC 3339. Defaults to the time of the plan."
  type        = string
  default     = null
}

variable "days" {
  description = "Number of days without changes after which an agent is stale."
  type        = number
  default     = 180
}

variable "agent_query" {
  description = "Query parameters that select the workspace's agents, if the service requires them."
  type        = map(string)
  default     = null
}

data "convo_agents" "all" {
  query = var.agent_query
}

locals {
  cutoff    = timeadd(coalesce(var.as_of, plantimestamp()), "-${24 * var.days}h")
  agents    = data.convo_agents.all.agents
  published = [for agent in local.agents : agent if agent.is_published == true]
  unknown   = [for agent in local.agents : agent.id if agent.is_published == null]
  invalid = [
    for agent in local.published : agent.id if !can(timecmp(agent.updated_at, local.cutoff))
  ]
}

output "stale" {
  description = "Time of the last change of each stale published agent, by agent ID."
  value = {
    for agent in local.published : agent.id => agent.updated_at
    if contains(local.invalid, agent.id) ? false : timecmp(agent.updated_at, local.cutoff) < 0
  }

  # Any attribute can be null, and a timestamp can have another format.
  precondition {
    condition     = length(local.agents) > 0
    error_message = "The service listed no agents."
  }
  precondition {
    condition     = length(local.unknown) == 0
    error_message = "is_published of these agents is missing: ${join(", ", local.unknown)}."
  }
  precondition {
    condition = length(local.invalid) == 0
    error_message = join("", [
      "updated_at of these agents is missing or not RFC 3339: ", join(", ", local.invalid), ".",
    ])
  }
}
