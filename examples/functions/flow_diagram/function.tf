terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

# Markdown with a diagram for each YAML file in the directory "definitions".
locals {
  definitions = {
    for file in fileset(path.module, "definitions/*.yaml") :
    file => jsonencode(yamldecode(file("${path.module}/${file}")))
  }
}

output "diagrams" {
  value = join("\n", [
    for file, definition in local.definitions :
    "## ${file}\n\n```mermaid\n${provider::convo::flow_diagram(definition)}```\n"
  ])
}
