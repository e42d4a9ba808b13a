# Markdown with a diagram of each definition that is kept as a YAML file.
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
