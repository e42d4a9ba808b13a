# Definitions by file name, from the YAML files in the "definitions" directory.
locals {
  definitions = {
    for file in fileset(path.module, "definitions/*.yaml") :
    file => file("${path.module}/${file}")
  }
}

# Markdown with a diagram for each file.
output "diagrams" {
  value = join("\n", [
    for file, definition in local.definitions :
    "## ${file}\n\n```mermaid\n${provider::convo::flow_diagram(definition)}```\n"
  ])
}
