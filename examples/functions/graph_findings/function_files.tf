locals {
  findings = {
    for file in fileset(path.module, "definitions/*.yaml") :
    file => provider::convo::graph_findings(file("${path.module}/${file}"))
  }
}

check "conversations" {
  assert {
    condition = length(flatten(values(local.findings))) == 0
    error_message = join("\n", flatten([
      for file, findings in local.findings : [for f in findings : "${file}: ${f.message}"]
    ]))
  }
}

output "findings" {
  value = local.findings
}
