# Reviews conversations whose definitions are files: compares, draws, and checks them.
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
  description = "Directory that contains definitions/, relative to main.tf."
  type        = string
  default     = "."
}

variable "before" {
  description = "Directory with an earlier checkout of the repository. If set, only changes are reviewed, and only new findings fail the check."
  type        = string
  default     = null
}

# Definitions by file name, such as "agt_bookings.yaml" or "shop/agt_orders.json". For a
# file that is not UTF-8, the text is empty, and the report lists an error.
locals {
  extensions = "(?i)[.](json|ya?ml)$"
  definitions = {
    for file in fileset("${path.module}/${var.directory}/definitions", "**") :
    file => try(file("${path.module}/${var.directory}/definitions/${file}"), "") if can(regex(local.extensions, file))
  }
  before = var.before == null ? null : {
    for file in fileset("${path.module}/${var.before}/definitions", "**") :
    file => try(file("${path.module}/${var.before}/definitions/${file}"), "") if can(regex(local.extensions, file))
  }

  review       = provider::convo::review_report(local.definitions, local.before)
  new_findings = [for f in local.review.findings : "${f.agent}: ${f.kind}: ${f.message}" if f.is_new]
}

# If the check fails, a plan or apply prints a warning, and "terraform test" fails.
check "conversations" {
  assert {
    condition     = length(local.review.errors) == 0
    error_message = join("\n", local.review.errors)
  }
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
  description = "Errors, and the diagram, changes, and findings of each reviewed agent, as Markdown."
  value       = local.review.markdown

  # A checkout from before the first definition contains at least .git. If that is a
  # directory, fileexists fails.
  precondition {
    condition     = try(length(local.before) > 0 || fileexists("${path.module}/${var.before}/.git"), true)
    error_message = "The directory in the variable \"before\" is not an earlier checkout of the repository."
  }
}
