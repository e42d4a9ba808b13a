# Draws and checks the conversation flows of agents whose definitions are YAML
# files. Neither the service nor a provider configuration is required.

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
  description = "Directory with one YAML file per agent."
  type        = string
  default     = "definitions"
}

locals {
  definitions = {
    for file in fileset(path.module, "${var.directory}/*.yaml") :
    trimsuffix(basename(file), ".yaml") => jsonencode(yamldecode(file("${path.module}/${file}")))
  }

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
    condition     = length(flatten(values(local.messages))) == 0
    error_message = join("\n", flatten(values(local.messages)))
  }
}

output "findings" {
  description = "Findings of each agent."
  value       = local.findings
}

# Titles are escaped in diagrams, but not in messages. No line of a message begins
# with a title, so a title cannot end the code block that contains the message.
output "report" {
  description = "Diagram and findings of each agent, as Markdown."
  value = join("\n", flatten([
    for agent, definition in local.definitions : [
      "## ${agent}\n",
      "```mermaid\n${provider::convo::flow_diagram(definition)}```\n",
      "```text",
      length(local.messages[agent]) > 0 ? local.messages[agent] : ["No findings."],
      "```\n",
    ]
  ]))
}
