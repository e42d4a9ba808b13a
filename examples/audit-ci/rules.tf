# Each rule is a list of messages, which is empty if the workspace complies. Messages in "errors"
# fail the plan, but messages in "warnings" do not. To change a rule's severity, move the rule to
# the other map.

locals {
  errors = {
    admins = [
      for email in setsubtract(local.admins, var.allowed_admins) :
      "${coalesce(email, "A member without an email address")} unexpectedly has the ADMIN role."
    ]
    workspace = concat(
      local.workspace.is_suspended ? ["The workspace is suspended."] : [],
      local.workspace.is_quarantined ? ["The workspace is quarantined."] : [],
    )
    # A failed read is an error, because the rules cannot check a value that was not read.
    problems = [
      for p in local.audit.problems : join(": ", [
        p.agent_id == null ? "Workspace" : local.titles[p.agent_id],
        p.operation,
        join(", ", compact([p.status, p.code, p.message])),
      ])
    ]
    # The API lists the agents in the workspace that the token belongs to, which can differ from
    # var.workspace.
    foreign_agents = [
      for ref in local.foreign_refs :
      "Agents belong to workspace ${ref}, but the audited workspace is ${local.workspace.id}."
    ]
  }

  warnings = {
    payments = local.workspace.is_past_due ? ["A payment is past due."] : []
    owners = [
      for id, a in local.agents : "${local.titles[id]} has no label that names its owner."
      # If current_user_mode is null, the definition could not be read, so the labels are unknown.
      if a.is_published == true && a.current_user_mode != null && local.owners[id] == ""
    ]
    completion = [
      for id, s in local.stats :
      "${local.titles[id]} completed ${s.completion_percent}% of its sessions."
      if local.agents[id].is_published == true
      && coalesce(s.total_starts, 0) >= var.minimum_starts
      && coalesce(s.completion_percent, 100) < var.minimum_completion_percent
    ]
    graphs = flatten([
      for id, a in local.agents : [
        for f in a.graph_findings : "${local.titles[id]}: ${f.message}"
        if contains(var.graph_finding_kinds, f.kind)
      ]
      if a.is_published == true
    ])
  }

  admins = lookup(local.audit.emails_by_role, "ADMIN", [])
  owners = {
    for id, a in local.agents : id => join(", ", setintersection(a.labels, var.owner_labels))
  }
  foreign_refs = local.audit.summary.foreign_agents == 0 ? [] : distinct([
    for a in local.agents : a.workspace_ref
    if !contains(local.workspace_refs, coalesce(a.workspace_ref, local.workspace.id))
  ])
  workspace_refs = [local.workspace.id, local.workspace.slug]

  findings = {
    for level, rules in { errors = local.errors, warnings = local.warnings } : level => flatten([
      for rule, messages in rules : [for message in messages : { rule = rule, message = message }]
    ])
  }
}

check "warnings" {
  assert {
    condition     = length(local.findings.warnings) == 0
    error_message = join("\n", local.findings.warnings[*].message)
  }
}
