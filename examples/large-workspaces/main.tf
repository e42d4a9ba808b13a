# Audits part of a large workspace, as one of several jobs.

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

variable "workspace_id" {
  description = "ID or slug of the workspace to audit."
  type        = string
  default     = "ws_larkspur01"
}

variable "jobs" {
  description = "Number of jobs."
  type        = number
  default     = 1
}

variable "job" {
  description = "Index of this job, from 0 to jobs - 1."
  type        = number
  default     = 0
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
  # The hash assigns each agent to a job. An agent remains in its job when other agents are added or
  # removed.
  agent_ids = [
    for agent in data.convo_agents.all.agents : agent.id
    if parseint(substr(sha256(agent.id), 0, 8), 16) % var.jobs == var.job
  ]
}

data "convo_workspace_audit" "this" {
  workspace_id  = var.workspace_id
  agent_query   = var.agent_query
  agent_ids     = local.agent_ids
  stats_periods = ["last30Days"]

  lifecycle {
    # With an index outside this range, the job would audit no agents, and succeed.
    precondition {
      condition     = contains(range(var.jobs), var.job)
      error_message = "The variable job must be a whole number from 0 to jobs - 1."
    }

    # Fail instead of omitting agents that could not be read.
    postcondition {
      condition     = self.is_complete
      error_message = "The audit is incomplete."
    }
  }
}

output "agent_ids" {
  description = "IDs of the agents that this job audits."
  value       = local.agent_ids
}

output "seldom_completed" {
  description = "Percentage of completed sessions, by ID, for agents with less than 50 percent."
  value = {
    for id, agent in data.convo_workspace_audit.this.agents :
    id => agent.stats["last30Days"].completion_percent
    if coalesce(agent.stats["last30Days"].completion_percent, 100) < 50
  }
}
