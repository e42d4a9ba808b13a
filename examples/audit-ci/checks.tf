locals {
  # Share of completed sessions, for agents with enough starts to tell.
  completed = {
    for id, stats in data.convo_agent_stats.published : id => stats.total_completed / stats.total_starts
    if stats.total_starts >= max(1, var.least_starts)
  }

  findings = {
    payments = data.convo_workspace.this.is_past_due ? ["A payment of ${data.convo_workspace.this.name} is past due."] : []
    owners = [
      for id, agent in data.convo_agent.published : "${id} is published, but no label names its owner."
      if length(setintersection(try(toset(agent.profile.labels), []), var.owner_labels)) == 0
    ]
    completion = [
      for id, share in local.completed : format("%s: %.0f %% of the started sessions were completed.", id, 100 * share)
      if share < var.least_completed
    ]
  }
}

check "payments" {
  assert {
    condition     = length(local.findings.payments) == 0
    error_message = join("\n", local.findings.payments)
  }
}

check "owners" {
  assert {
    condition     = length(local.findings.owners) == 0
    error_message = join("\n", local.findings.owners)
  }
}

check "completion" {
  assert {
    condition     = length(local.findings.completion) == 0
    error_message = join("\n", local.findings.completion)
  }
}
