# Reviews conversations whose definitions are YAML files: compares, draws, and checks them.
# Neither the service nor a provider configuration is required.

terraform {
  required_version = ">= 1.8"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

variable "directory" {
  description = "Directory with one YAML file per agent, relative to main.tf."
  type        = string
  default     = "definitions"
}

variable "before" {
  description = "Directory with the earlier files. If set, the report has only agents that changed."
  type        = string
  default     = null
}

locals {
  definitions = {
    for file in fileset(path.module, "${var.directory}/*.{yaml,yml}") :
    replace(basename(file), "/\\.ya?ml$/", "") => jsonencode(yamldecode(file("${path.module}/${file}")))
  }

  # A file that is missing in one of the directories is null.
  before = {
    for file in var.before == null ? toset([]) : fileset(path.module, "${var.before}/*.{yaml,yml}") :
    replace(basename(file), "/\\.ya?ml$/", "") => jsonencode(yamldecode(file("${path.module}/${file}")))
  }

  reviewed = {
    for agent, definition in local.definitions : agent => {
      before = lookup(local.before, agent, null)
      after  = definition
    }
    if var.before == null || lookup(local.before, agent, null) != definition
  }

  # Null for a new agent. Changes of the layout do not matter in a review. Line breaks in IDs
  # are replaced, and long values are truncated.
  changes = {
    for agent, versions in local.reviewed : agent => versions.before == null ? null : [
      for c in provider::convo::definition_diff(versions.before, versions.after) :
      join("\n", concat(
        [join(" ", compact([
          local.signs[c.change], c.part, replace(c.id, "/\\s+/", " "), c.title, c.path,
        ]))],
        [for value in c.before[*] : "- ${substr(value, 0, 200)}" if c.path != ""],
        [for value in c.after[*] : "+ ${substr(value, 0, 200)}" if c.path != ""],
      )) if !c.is_layout
    ]
  }
  deleted = setsubtract(keys(local.before), keys(local.definitions))
  signs   = { added = "+", removed = "-", changed = "!" }
  new     = var.before == null ? "" : "The file is new.\n"

  findings = {
    for agent, definition in local.definitions :
    agent => provider::convo::graph_findings(definition)
  }

  messages = {
    for agent, findings in local.findings : agent => [for f in findings : "${f.kind}: ${f.message}"]
  }
}

# If the check fails, a plan or apply prints a warning, and "terraform test" fails.
check "conversations" {
  assert {
    condition = length(flatten(values(local.messages))) == 0
    error_message = join("\n", flatten([
      for agent, messages in local.messages : [for message in messages : "${agent}: ${message}"]
    ]))
  }
}

output "findings" {
  description = "Findings of each agent."
  value       = local.findings
}

# Titles and IDs are escaped in diagrams, but not in changes and messages, none of whose
# lines begins with a title or an ID, so that neither can end the code block.
output "report" {
  description = "Diagram, changes, and findings of each agent, as Markdown."
  value = join("\n", flatten([
    "# Conversation Review\n",
    length(local.reviewed) == 0 && length(local.deleted) == 0 ? ["There is nothing to review.\n"] : [],
    [
      for agent, versions in local.reviewed : [
        "## ${agent}\n",
        "```mermaid\n${provider::convo::flow_diagram(versions.after, versions.before)}```\n",
        local.changes[agent] == null ? local.new : length(local.changes[agent]) == 0 ? "There are no changes other than to the layout.\n" : join("\n", [
          "Changes, without the layout:\n",
          "```diff\n${join("\n", local.changes[agent])}\n```\n",
        ]),
        "Findings:\n",
        "```text",
        length(local.messages[agent]) > 0 ? local.messages[agent] : ["No findings."],
        "```\n",
      ]
    ],
    [
      for agent in local.deleted :
      "## ${agent}\n\nThe file was deleted.\n"
    ],
  ]))
}
