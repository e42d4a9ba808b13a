# Each rule is a list of messages, which is empty if the workspace complies. Messages in "errors"
# fail the plan, but messages in "warnings" do not. To change a rule's severity, move the rule to
# the other map.

locals {
  workspace = local.audit.workspace
  agents    = local.audit.agents
  stats     = { for id, a in local.agents : id => a.stats["last30Days"] }

  # Names of the agents in messages.
  titles = { for id, a in local.agents : id => "${coalesce(a.name, "Agent")} (${id})" }

  errors = {
    admins = [
      for email in setsubtract(local.admins, var.allowed_admins) :
      "${coalesce(email, "A member without an email address")} unexpectedly has the ADMIN role."
    ]
    # Without roles in the responses, no administrator would be unexpected.
    no_admins = length(local.admins) == 0 ? ["No member has the ADMIN role."] : []
    workspace = [
      for state, flag in local.workspace_states : join(" ", [
        flag == null ? "It is unknown whether the workspace is" : "The workspace is", "${state}.",
      ])
      if flag != false
    ]
    # The rules cannot check what was not read.
    problems = lookup(local.problems, "errors", [])
    # An audit of no agents must not pass.
    no_agents = length(local.agents) == 0 ? ["The service listed no agents."] : []
    # workspace_id does not select the agents, so they can belong to another workspace.
    foreign_agents = [
      for ref in local.foreign_refs : join("", [
        "Agents belong to workspace ${ref}, ",
        "but the audited workspace is ${coalesce(local.workspace.id, var.workspace)}.",
      ])
    ]
  }

  warnings = {
    payments = local.workspace.is_past_due == true ? ["A payment is past due."] : []
    problems = lookup(local.problems, "warnings", [])
    owners = [
      for id, a in local.agents : "${local.titles[id]} has no label that names its owner."
      # An agent counts as published if is_published is null. If definition_hash is null, the
      # definition could not be read, so the labels are unknown.
      if a.is_published != false && a.definition_hash != null
      && length(setintersection(a.labels, var.owner_labels)) == 0
    ]
    completion = [
      for id, s in local.stats :
      "${local.titles[id]} completed ${s.completion_percent}% of its sessions."
      if local.agents[id].is_published != false
      # Statistics that could not be read are in the rule "problems".
      && coalesce(s.total_starts, 0) >= var.minimum_starts
      && coalesce(s.completion_percent, 100) < var.minimum_completion_percent
    ]
    graphs = flatten([
      for id, a in local.agents : [
        for f in a.graph_findings : "${local.titles[id]}: ${f.message}"
        if contains(var.graph_finding_kinds, f.kind)
      ]
      if a.is_published != false
    ])
  }

  workspace_states = {
    suspended   = local.workspace.is_suspended
    quarantined = local.workspace.is_quarantined
  }
  admins = lookup(local.audit.emails_by_role, "ADMIN", [])
  foreign_refs = local.workspace.id == null ? [] : setsubtract(
    compact([for a in local.agents : a.workspace_ref]),
    compact([local.workspace.id, local.workspace.slug]),
  )
  # Missing fields and contradictions do not prevent the rules from checking the rest.
  problems = {
    for p in local.audit.problems :
    contains(["contradiction", "missing_fields"], p.kind) ? "warnings" : "errors" => join(": ", [
      p.agent_id == null ? "Workspace" : local.titles[p.agent_id],
      p.operation,
      join(", ", compact([p.status, p.code, p.message])),
    ])...
  }

  findings = flatten([
    for level, rules in { error = local.errors, warning = local.warnings } : [
      for rule, messages in rules : [
        for message in messages : { level = level, rule = rule, message = message }
      ]
    ]
  ])
}
