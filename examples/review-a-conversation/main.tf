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
  description = "Directory with the earlier files. If set, only changes are reviewed, and only new findings fail the check."
  type        = string
  default     = null
}

# An empty definition is invalid, so the function's error names the file.
locals {
  definitions = {
    for file in fileset(path.module, "${var.directory}/*.{yaml,yml}") :
    replace(basename(file), "/\\.ya?ml$/", "") => try(jsonencode(yamldecode(file("${path.module}/${file}"))), "")
  }
  before = var.before == null ? null : {
    for file in fileset(path.module, "${var.before}/*.{yaml,yml}") :
    replace(basename(file), "/\\.ya?ml$/", "") => try(jsonencode(yamldecode(file("${path.module}/${file}"))), "")
  }

  review       = provider::convo::review_report(local.definitions, local.before)
  new_findings = [for f in local.review.findings : "${f.agent}: ${f.kind}: ${f.message}" if f.is_new]
}

# If the check fails, a plan or apply prints a warning, and "terraform test" fails.
check "conversations" {
  assert {
    condition     = length(local.new_findings) == 0
    error_message = join("\n", local.new_findings)
  }
}

output "findings" {
  description = "Findings of the reviewed agents."
  value       = local.review.findings
}

output "report" {
  description = "Diagram, changes, and findings of each reviewed agent, as Markdown."
  value       = local.review.markdown
}
