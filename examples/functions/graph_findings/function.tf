# Findings of all definitions that are kept as YAML files, by file.
locals {
  findings = {
    for file in fileset(path.module, "definitions/*.yaml") :
    file => provider::convo::graph_findings(jsonencode(yamldecode(file("${path.module}/${file}"))))
  }
}

check "conversations" {
  assert {
    condition     = length(flatten(values(local.findings))) == 0
    error_message = join("\n", flatten(values(local.findings))[*].message)
  }
}

output "findings" {
  value = local.findings
}
