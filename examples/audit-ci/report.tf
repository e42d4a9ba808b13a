# The record of this run, the changes since the previous record, and the report.

locals {
  states = {
    for id, a in local.agents : id => coalesce(join(", ", compact([
      a.is_published == true ? "published" : a.is_published == null ? "unknown" : "",
      a.is_archived == true ? "archived" : "",
      a.is_locked == true ? "locked" : "",
    ])), "not published")
  }

  # The record contains only values that people change, because counters differ in every run.
  record = merge(
    { "Workspace plan" = local.workspace.plan },
    {
      for email, roles in transpose(local.audit.emails_by_role) :
      "Member ${coalesce(email, "without an email address")}" => join(", ", sort(roles))
    },
    {
      for id, a in local.agents : "Agent ${id}" => join(", ", compact([
        local.states[id],
        a.revision == null ? "" : "revision ${a.revision}",
        local.owners[id] == "" ? "" : "owner ${local.owners[id]}",
      ]))
    },
  )

  # audit.sh writes this file before the plan. The file contains no record until a plan has been
  # applied.
  previous = try(tomap(jsondecode(file("${path.module}/previous.json")).record.value), {})

  # Give both records the same keys, so that no lookup() is necessary. Each call to lookup() would
  # copy the whole map.
  before  = merge({ for what in keys(local.record) : what => "" }, local.previous)
  current = merge({ for what in keys(local.previous) : what => "" }, local.record)

  # Agent IDs, sorted by the number of started sessions in descending order.
  busiest = [
    for key in sort([
      for id, s in local.stats : format("%015.0f %s", 1e14 - coalesce(s.total_starts, 0), id)
    ]) : substr(key, 16, -1)
  ]

  totals = local.audit.summary.stats["last30Days"]

  # The report's tables before escaping. All rows of a table must have the same columns.
  tables = {
    findings = concat(
      [for f in local.findings.errors : merge(f, { level = "❌\u00a0Error" })],
      [for f in local.findings.warnings : merge(f, { level = "⚠️\u00a0Warning" })],
    )
    changes = [
      for what, now in local.current : { what = what, before = local.before[what], now = now }
      if local.before[what] != now
    ]
    agents = [
      for id in local.busiest : merge(local.stats[id], {
        id       = id
        name     = local.agents[id].name
        state    = local.states[id]
        revision = local.agents[id].revision
        owner    = local.owners[id]
        rate     = try("${local.stats[id].completion_percent}%", null)
      })
    ]
    members = [
      for role, emails in local.audit.emails_by_role : {
        role   = role
        number = length(emails)
        emails = join(", ", [
          for email in slice(emails, 0, min(length(emails), var.maximum_rows)) :
          coalesce(email, "no email address")
        ])
      }
    ]
    totals = [merge(local.totals, {
      members   = local.audit.summary.members
      agents    = local.audit.summary.agents
      published = local.audit.summary.published
      archived  = local.audit.summary.archived
      locked    = local.audit.summary.locked
      workspace = local.workspace.name
      rate      = try("${local.totals.completion_percent}%", null)
    })]
  }

  # The first rows of each table, escaped. Names are free text, so each cell becomes a single line
  # in which Markdown has no effect, @ mentions nobody, and www. does not begin a link.
  cells = {
    for table, rows in local.tables : table => [
      for row in slice(rows, 0, min(length(rows), var.maximum_rows)) : {
        for column, value in row : column => replace(replace(replace(replace(replace(
          coalesce(value, "–"),
          "/[\\s\\p{Cc}\\x{2028}-\\x{202e}\\x{2066}-\\x{2069}]+/", " "),
          "/[\\\\`*_\\[\\]<>&#|~!$:]/", "\\$0"),
          "\\|", "&#124;"),
          "/(^|\\W)@/", "$1@\u200b"),
        "/(?i)(www)\\./", "$1\\.")
      }
    ]
  }

  # The ten busiest agents. Mermaid requires unique labels without special characters.
  charted = [
    for id in slice(local.busiest, 0, min(length(local.busiest), 10)) : id
    if coalesce(local.stats[id].total_starts, 0) > 0
  ]
  chart = {
    labels = [
      for i, id in local.charted : substr(join(". ", [
        i + 1,
        trimspace(replace(coalesce(local.agents[id].name, id), "/[^\\pL\\pN-]+/", " ")),
      ]), 0, 30)
    ]
    starts    = [for id in local.charted : local.stats[id].total_starts]
    completed = [for id in local.charted : coalesce(local.stats[id].total_completed, 0)]
  }
}

output "record" {
  description = "Facts for the next run to compare with, recorded only if there are no errors."
  value       = local.record

  precondition {
    condition     = length(local.findings.errors) == 0
    error_message = join("\n", local.findings.errors[*].message)
  }
}

output "report" {
  description = "Report in Markdown, marked as sensitive only to keep it out of the log."
  sensitive   = true
  value = templatefile("${path.module}/report.md.tftpl", {
    cells      = local.cells
    counts     = { for table, rows in local.tables : table => length(rows) }
    errors     = length(local.findings.errors)
    warnings   = length(local.findings.warnings)
    has_record = length(local.previous) > 0
    chart      = local.chart
  })
}
