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
  description = "Time at which to measure the age, in RFC 3339. Defaults to the time of the plan."
  type        = string
  default     = null
}

variable "days" {
  description = "Number of days without changes after which an agent is stale."
  type        = number
  default     = 180
}

data "convo_agents" "all" {}

locals {
  cutoff    = timeadd(coalesce(var.as_of, plantimestamp()), "-${24 * var.days}h")
  published = [for agent in data.convo_agents.all.agents : agent if agent.is_published == true]
  unreadable = [
    for agent in local.published : agent.id if !can(timecmp(agent.updated_at, local.cutoff))
  ]
}

output "stale" {
  description = "Time of the last change of each stale published agent, by agent ID."
  value = {
    for agent in local.published : agent.id => agent.updated_at
    if contains(local.unreadable, agent.id) ? false : timecmp(agent.updated_at, local.cutoff) < 0
  }

  # A timestamp can be null or in another format.
  precondition {
    condition     = length(local.unreadable) == 0
    error_message = "updated_at of these agents is not RFC 3339: ${join(", ", local.unreadable)}."
  }
}
