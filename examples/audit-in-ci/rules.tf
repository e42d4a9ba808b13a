# Each rule is a list of messages, which is empty if the workspace complies. Messages in "errors"
# fail the plan, but messages in "warnings" do not. To change a rule's severity, move the rule to
# the other map. The report shows rules whose names begin with "workspace" first.

locals {
  workspace = local.audit.workspace
  agents    = local.audit.agents
  stats     = { for id, a in local.agents : id => a.stats["last30Days"] }
  titles    = { for id, a in local.agents : id => "${coalesce(a.name, "Agent")} (${id})" }
  admins    = lookup(local.audit.emails_by_role, "ADMIN", [])
  refs      = compact([for a in local.agents : a.workspace_ref])
  no_refs   = [for id, a in local.agents : id if a.workspace_ref == null]
  gone      = [for c in coalesce(local.record.changes, []) : "${c.name} (${c.id})" if c.after == null]

  errors = {
    admins = [
      for email in setsubtract(local.admins, var.allowed_admins) :
      "${coalesce(email, "A member without an email address")} unexpectedly has the ADMIN role."
    ]
    # Without roles in the responses, no administrator would be unexpected.
    no_admins = length(local.admins) == 0 ? ["No member has the ADMIN role."] : []
    workspace = [
      # If the service never returns one of these states, remove it here.
      for state in ["suspended", "quarantined"] :
      local.workspace["is_${state}"] == true ? "The workspace is ${state}." :
      "It is unknown whether the workspace is ${state}. See the rule \"workspace\" in rules.tf."
      if local.workspace["is_${state}"] != false
    ]
    # workspace_id does not select the agents, so they can belong to another workspace.
    workspace_agents = length(local.agents) == 0 ? ["The service listed no agents."] : (
      local.audit.summary.foreign_agents == null ? ["The agents' workspace is unknown."] : [
        for ref in setsubtract(local.refs, compact([local.workspace.id, local.workspace.slug])) :
        "Agents belong to workspace ${ref}, but the audited workspace is ${local.workspace.id}."
    ])
    workspace_problems = lookup(local.problems, "errors", [])
    workspace_removed = length(local.gone) <= var.maximum_removed ? [] : [join(" ", [
      "${length(local.gone)} agents or members are gone, or the token has less access than before.",
      "To accept this, set maximum_removed to ${length(local.gone)}. Gone: ${join(", ", local.gone)}.",
    ])]
  }

  warnings = {
    workspace = local.workspace.is_past_due == true ? ["A payment is past due."] : []
    # If the workspace of all agents is unknown, this is an error.
    workspace_agents = length(local.no_refs) == 0 || local.audit.summary.foreign_agents == null ? [] : [
      "The workspace of these agents is unknown: ${join(", ", local.no_refs)}."
    ]
    workspace_problems = lookup(local.problems, "warnings", [])
    owners = [
      for id, a in local.agents : "${local.titles[id]} has no label that names its owner."
      # An agent counts as published if this is unknown. Without a definition, labels are unknown.
      if a.is_published != false && a.definition_hash != null && length(var.owner_labels) > 0
      && length(setintersection(a.labels, var.owner_labels)) == 0
    ]
    completion = [
      for id, s in local.stats :
      "${local.titles[id]} completed ${s.completion_percent}% of its sessions."
      if local.agents[id].is_published != false
      && coalesce(s.total_starts, 0) >= var.minimum_starts
      && coalesce(s.completion_percent, 100) < var.minimum_completion_percent
    ]
    graphs = flatten([
      for id, a in local.agents : [
        for f in a.graph_findings : "${local.titles[id]}: ${f.message}"
        if contains(var.graph_finding_kinds, f.kind)
      ] if a.is_published != false
    ])
  }

  # Equal problems of several agents are one message.
  equal_problems = {
    for p in local.audit.problems :
    "${p.operation}: ${join(", ", compact([p.status, p.code, p.message]))}" => p...
  }
  problems = {
    for text, ps in local.equal_problems :
    contains(["read_failed", "not_read", "incomplete_list"], ps[0].kind) ? "errors" :
    "warnings" => join("", [
      ps[0].agent_id == null ? "Workspace" :
      length(ps) > 1 ? "${length(ps)} agents" : local.titles[ps[0].agent_id],
      ": ${text}", length(ps) > 1 ? " (${join(", ", ps[*].agent_id)})" : "",
    ])...
  }

  findings = flatten([for level, rules in { error = local.errors, warning = local.warnings } : [
    for rule, messages in rules : [for m in messages : { level = level, rule = rule, message = m }]
  ]])
}
